-- SPDX-License-Identifier: Apache-2.0
-- One operation for a person: $1 its id. SELECT only. No row: there is none, or none that this role
-- may see. Times are in us since 1970, as text, because a view over the service's table may hold
-- infinity.
SELECT
  operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status, owner_version,
  owner_token,
  trunc(extract(epoch FROM lease_until) * 1000000) AS lease_until,
  trunc(extract(epoch FROM submit_by) * 1000000) AS submit_by,
  trunc(extract(epoch FROM created_at) * 1000000) AS created_at,
  provider_context, provider_reference,
  trunc(extract(epoch FROM statement_timestamp()) * 1000000) AS as_of
FROM operations
WHERE operation_id = $1::uuid
