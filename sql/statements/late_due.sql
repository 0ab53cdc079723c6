-- SPDX-License-Identifier: Apache-2.0
-- What was left to a person and is to be looked at again, longest unseen first, if it is our turn.
--   $1 holder: this daemon  $2 turn, us  $3 late_truth, us  $4 late_truth_for, us  $5 limit
-- The turn is taken only if something is due, so that an idle daemon writes nothing.
-- First the columns of take_over, as nothing is taken over the owner_version as it stands; then the
-- newest evidence_id, and how long until something may be due or the turn be free, on every row.
-- There is always a row: one with nulls if there is nothing to look at.
WITH waiting AS MATERIALIZED (
  SELECT o.operation_id, o.owner_version, o.lease_until, o.account_id, o.amount, o.currency,
    o.created_at, o.submit_by, o.provider_context, newest.evidence_id,
    newest.observed_at + $3::bigint * interval '1 microsecond' AS due_at
  FROM operations AS o
  CROSS JOIN LATERAL (
    SELECT e.evidence_id, e.observed_at
    FROM recovery_evidence AS e
    WHERE e.operation_id = o.operation_id
    ORDER BY e.evidence_id DESC
    LIMIT 1
  ) AS newest
  CROSS JOIN LATERAL (
    SELECT e.reason, e.observed_at
    FROM recovery_evidence AS e
    WHERE e.operation_id = o.operation_id AND e.decision = 'NeedsReconciliation'
    ORDER BY e.evidence_id DESC
    LIMIT 1
  ) AS decided
  WHERE o.status = 'NeedsReconciliation'
    -- Where the provider may still change its mind; a duplicate or a mismatch only a person ends.
    AND decided.reason IN ('absent-after-window', 'no-answer', 'failed-at-provider')
    AND decided.observed_at > statement_timestamp() - $4::bigint * interval '1 microsecond'
), due AS (
  SELECT * FROM waiting
  WHERE due_at <= statement_timestamp()
  ORDER BY due_at
  LIMIT $5::bigint
), turn AS (
  UPDATE late_truth_turn AS t
  SET holder = $1::uuid,
      until = clock_timestamp() + $2::bigint * interval '1 microsecond'
  WHERE (t.holder = $1::uuid OR t.until < clock_timestamp()) AND EXISTS (SELECT FROM due)
  RETURNING true AS ours
)
SELECT
  (extract(epoch FROM as_of) * 1000000)::bigint AS as_of_us,
  operation_id,
  owner_version,
  (extract(epoch FROM due_at) * 1000000)::bigint AS due_since_us,
  account_id,
  amount::text AS amount,
  currency,
  (extract(epoch FROM created_at) * 1000000)::bigint AS created_at_us,
  (extract(epoch FROM submit_by) * 1000000)::bigint AS submit_by_us,
  provider_context::text AS provider_context,
  -- Absent again after a credit was seen late is no news; whether one is there now is.
  false AS credit_seen,
  0 AS looks_since_recheck,
  evidence_id,
  (extract(epoch FROM least(
    (SELECT min(due_at) FROM waiting WHERE due_at > as_of),
    -- Somebody else's turn; its row as it was before this statement.
    (SELECT t.until FROM late_truth_turn AS t
     WHERE NOT EXISTS (SELECT FROM turn) AND EXISTS (SELECT FROM due))) - as_of) * 1000000)::bigint
    AS wait_us
FROM (SELECT statement_timestamp() AS as_of) AS clock
LEFT JOIN (
  SELECT due.operation_id, due.owner_version, due.account_id, due.amount, due.currency,
    due.provider_context, due.evidence_id, due.due_at,
    least(greatest(due.created_at, 'epoch'), '9999-12-31Z') AS created_at,
    least(greatest(due.submit_by, 'epoch'), '9999-12-31Z') AS submit_by
  FROM due, turn
) AS ours ON true
ORDER BY due_at
