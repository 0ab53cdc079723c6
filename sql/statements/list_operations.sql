-- SPDX-License-Identifier: Apache-2.0
-- What is stored, oldest first, with what put it into its present status: SELECT only, a page.
--   $1 statuses[]  $2 reason or null  $3 older than this, us, or null  $4 account_id or null
--   $5, $6 the last row of the page before (created_at in us, id; at first null)  $7 limit
-- Times are in us since 1970, as text, because a view over the service's table may hold infinity.
WITH candidate AS (
  -- In parts, so that what is open costs no read of what is settled: one partial index each.
  SELECT * FROM operations
  WHERE status IN ('Admitted', 'Unknown') AND status = ANY ($1::text[])
  UNION ALL
  SELECT * FROM operations
  WHERE status = 'NeedsReconciliation' AND status = ANY ($1::text[])
  UNION ALL
  SELECT * FROM operations
  WHERE status NOT IN ('Admitted', 'Unknown', 'NeedsReconciliation') AND status = ANY ($1::text[])
    AND NOT $1::text[] <@ '{Admitted,Unknown,NeedsReconciliation}'
)
SELECT
  operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status, owner_version,
  owner_token,
  trunc(extract(epoch FROM lease_until) * 1000000) AS lease_until,
  trunc(extract(epoch FROM submit_by) * 1000000) AS submit_by,
  trunc(extract(epoch FROM created_at) * 1000000) AS created_at,
  provider_context, provider_reference,
  decided.finding, decided.reason,
  trunc(extract(epoch FROM decided.observed_at) * 1000000) AS observed_at,
  trunc(extract(epoch FROM statement_timestamp()) * 1000000) AS as_of
FROM candidate
LEFT JOIN LATERAL (
  SELECT e.finding, e.reason, e.observed_at
  FROM recovery_evidence AS e
  WHERE e.operation_id = candidate.operation_id AND e.decision = candidate.status
  ORDER BY e.evidence_id DESC
  LIMIT 1
) AS decided ON true
WHERE ($2::text IS NULL OR decided.reason = $2::text)
  AND ($3::bigint IS NULL
    OR created_at < statement_timestamp() - $3::bigint * interval '1 microsecond')
  AND ($4::text IS NULL OR account_id = $4::text)
  AND ($6::uuid IS NULL
    OR (created_at, operation_id)
      > (timestamptz 'epoch' + $5::bigint * interval '1 microsecond', $6::uuid))
ORDER BY candidate.created_at, candidate.operation_id
LIMIT $7::bigint
