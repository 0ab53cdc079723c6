-- SPDX-License-Identifier: Apache-2.0
-- One operation for --probe-profile, in the form that --operation-json has: $1 its id. SELECT only,
-- on a standby too. No row: there is none, or none that this role may see.
SELECT row_to_json(operation)::text AS operation
FROM (
  SELECT operation_id, account_id, amount, currency, provider_context, created_at, submit_by,
    statement_timestamp() AS as_of
  FROM operations
  WHERE operation_id = $1::uuid
) AS operation
