-- SPDX-License-Identifier: Apache-2.0
-- After a takeover whose acknowledgement was lost: what was taken under its token.
--   $1 owner_token
-- The columns of take_over. The lease that had run out is overwritten by now, so due_since_us is
-- created_at: too early, which makes a wait look too long and never too short.
WITH taken AS (
  SELECT operation_id, owner_version, created_at AS due_since, account_id, amount, currency,
    created_at, submit_by, provider_context
  FROM operations
  WHERE owner_token = $1::uuid
    -- A lease that has run out since is somebody else's to take; it also lets the index of
    -- unresolved operations serve, where none has the token.
    AND status IN ('Admitted', 'Unknown')
    AND lease_until > statement_timestamp()
)
SELECT
  (extract(epoch FROM as_of) * 1000000)::bigint AS as_of_us,
  operation_id,
  owner_version,
  (extract(epoch FROM due_since) * 1000000)::bigint AS due_since_us,
  account_id,
  amount::text AS amount,
  currency,
  (extract(epoch FROM created_at) * 1000000)::bigint AS created_at_us,
  (extract(epoch FROM submit_by) * 1000000)::bigint AS submit_by_us,
  provider_context::text AS provider_context,
  credit_seen,
  looks_since_recheck
FROM (SELECT statement_timestamp() AS as_of) AS clock
LEFT JOIN (
  -- A view over the service's table has no CHECK that keeps infinity out, and one such row must
  -- not fail the batch. Up to the year 9999 all sums of microseconds fit into 64 bits.
  SELECT operation_id, owner_version, account_id, amount, currency, provider_context,
    least(greatest(due_since, 'epoch'), '9999-12-31Z') AS due_since,
    least(greatest(created_at, 'epoch'), '9999-12-31Z') AS created_at,
    least(greatest(submit_by, 'epoch'), '9999-12-31Z') AS submit_by,
    earlier.credit_seen, earlier.looks_since_recheck
  FROM taken
  CROSS JOIN LATERAL (
    SELECT
      coalesce(bool_or(e.step IN ('lookup', 'late')
                       AND (e.finding = 'found'
                            OR (e.finding = 'incomplete' AND e.provider_reference IS NOT NULL))),
               false) AS credit_seen,
      (count(*) FILTER (WHERE e.step = 'lookup' AND e.evidence_id > coalesce(
        (SELECT max(r.evidence_id) FROM recovery_evidence AS r
         WHERE r.operation_id = taken.operation_id AND r.step = 'recheck'), 0)))::int
        AS looks_since_recheck
    FROM recovery_evidence AS e
    -- Nobody looked before the first takeover: the usual operation costs no read of evidence.
    WHERE e.operation_id = taken.operation_id AND taken.owner_version > 2
  ) AS earlier
) AS found ON true
ORDER BY due_since
