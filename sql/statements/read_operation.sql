-- SPDX-License-Identifier: Apache-2.0
-- One operation as `recheck` and `resolve` see it before they act: $1 its id. SELECT only.
-- First the columns of take_over, then what judges the verb. No row: there is none, or none that
-- this role may see.
SELECT
  (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS as_of_us,
  operation_id,
  owner_version,
  (extract(epoch FROM least(greatest(lease_until, 'epoch'), '9999-12-31Z')) * 1000000)::bigint
    AS due_since_us,
  account_id,
  amount::text AS amount,
  currency,
  (extract(epoch FROM least(greatest(created_at, 'epoch'), '9999-12-31Z')) * 1000000)::bigint
    AS created_at_us,
  (extract(epoch FROM least(greatest(submit_by, 'epoch'), '9999-12-31Z')) * 1000000)::bigint
    AS submit_by_us,
  provider_context::text AS provider_context,
  earlier.credit_seen,
  earlier.looks_since_recheck,
  status,
  owner_token IS NOT NULL AND lease_until > statement_timestamp() AS owned,
  newest.evidence_id,
  newest.finding,
  newest.decision,
  newest.reason
FROM operations AS o
CROSS JOIN LATERAL (
  SELECT
    coalesce(bool_or(e.step IN ('lookup', 'late')
                     AND (e.finding = 'found'
                          OR (e.finding = 'incomplete' AND e.provider_reference IS NOT NULL))),
             false) AS credit_seen,
    (count(*) FILTER (WHERE e.step = 'lookup' AND e.evidence_id > coalesce(
      (SELECT max(r.evidence_id) FROM recovery_evidence AS r
       WHERE r.operation_id = o.operation_id AND r.step = 'recheck'), 0)))::int
      AS looks_since_recheck
  FROM recovery_evidence AS e
  WHERE e.operation_id = o.operation_id
) AS earlier
LEFT JOIN LATERAL (
  -- The last look; a handback or an eligibility saw nothing of the provider.
  SELECT e.evidence_id, e.finding, e.decision, e.reason
  FROM recovery_evidence AS e
  WHERE e.operation_id = o.operation_id AND e.finding IS NOT NULL
  ORDER BY e.evidence_id DESC
  LIMIT 1
) AS newest ON true
WHERE o.operation_id = $1::uuid
