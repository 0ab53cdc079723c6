-- SPDX-License-Identifier: Apache-2.0
-- G8: the unresolved operations that are neither in flight nor scheduled, oldest first, with what
-- the last evidence says. SELECT only.
--   $1 how long a lease may be over, us  $2 how far ahead one may reach, us  $3 the same of
--   submit_by, us  $4 limit
-- Times are in us since 1970, as text, because a view over the service's table may hold infinity.
WITH clock AS (
  SELECT statement_timestamp() - $1::bigint * interval '1 microsecond' AS overdue_before,
    statement_timestamp() + $2::bigint * interval '1 microsecond' AS lease_until_most,
    statement_timestamp() + $3::bigint * interval '1 microsecond' AS submit_by_most
), sick AS (
  SELECT o.*,
    CASE
      WHEN o.lease_until IS NULL OR NOT isfinite(o.lease_until) THEN 'lease_until is not finite'
      WHEN o.submit_by IS NULL OR NOT isfinite(o.submit_by) THEN 'submit_by is not finite'
      WHEN o.created_at IS NULL OR NOT isfinite(o.created_at) THEN 'created_at is not finite'
      WHEN o.owner_version IS NULL OR o.owner_version = 9223372036854775807
        THEN 'owner_version cannot grow'
      WHEN o.lease_until < clock.overdue_before THEN 'overdue'
      WHEN o.lease_until > clock.lease_until_most THEN 'lease_until is too far away'
      WHEN o.submit_by > clock.submit_by_most THEN 'submit_by is too far away'
    END AS fault
  FROM clock, operations AS o
  WHERE o.status IN ('Admitted', 'Unknown')
), oldest AS (
  SELECT *, count(*) OVER () AS faults
  FROM sick
  WHERE fault IS NOT NULL
  ORDER BY created_at NULLS FIRST, operation_id
  LIMIT $4::bigint
)
SELECT
  oldest.operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status,
  oldest.owner_version, oldest.owner_token,
  trunc(extract(epoch FROM lease_until) * 1000000) AS lease_until,
  trunc(extract(epoch FROM submit_by) * 1000000) AS submit_by,
  trunc(extract(epoch FROM created_at) * 1000000) AS created_at,
  provider_context, oldest.provider_reference,
  fault,
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
