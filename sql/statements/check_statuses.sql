-- SPDX-License-Identifier: Apache-2.0
-- G8: rows whose status is not of the contract, which nothing ever looks at; with the columns of
-- check_unresolved. SELECT only; reads the whole table, unless its own CHECK rules them out.
--   $1 the statuses of the contract[]  $2 limit
WITH oldest AS (
  SELECT *, count(*) OVER () AS faults
  FROM operations
  WHERE NOT EXISTS (
      SELECT FROM pg_constraint
      WHERE conrelid = to_regclass('operations') AND conname = 'operations_status_known'
        AND convalidated)
    AND (status IS NULL OR NOT status = ANY ($1::text[]))
  ORDER BY created_at NULLS FIRST, operation_id
  LIMIT $2::bigint
)
SELECT
  oldest.operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status,
  oldest.owner_version, oldest.owner_token,
  trunc(extract(epoch FROM lease_until) * 1000000) AS lease_until,
  trunc(extract(epoch FROM submit_by) * 1000000) AS submit_by,
  trunc(extract(epoch FROM created_at) * 1000000) AS created_at,
  provider_context, oldest.provider_reference,
  'status is not known' AS fault,
  newest.step, newest.finding, newest.decision, newest.reason,
  trunc(extract(epoch FROM newest.observed_at) * 1000000) AS observed_at,
  trunc(extract(epoch FROM statement_timestamp()) * 1000000) AS as_of,
  faults
FROM oldest
LEFT JOIN LATERAL (
  SELECT e.step, e.finding, e.decision, e.reason, e.observed_at
  FROM recovery_evidence AS e
  WHERE e.operation_id = oldest.operation_id
  ORDER BY e.evidence_id DESC
  LIMIT 1
) AS newest ON true
ORDER BY oldest.created_at NULLS FIRST, oldest.operation_id
