-- SPDX-License-Identifier: Apache-2.0
-- Takes over what is due, oldest lease first, and returns what a lookup needs.
--   $1 limit  $2 owner_token  $3 lease, us  $4 only leases that ended before this (us), or null
--   $5 an operation to leave out, or null
-- as_of_us is on every row, and there is always a row: one with nulls if nothing was taken.
WITH due AS MATERIALIZED (
  -- statement_timestamp(), because a volatile clock would be a filter and not an index condition.
  -- least() ignores nulls.
  SELECT operation_id, owner_version, lease_until
  FROM operations
  WHERE status IN ('Admitted', 'Unknown')
    AND lease_until
      < least(statement_timestamp(), timestamptz 'epoch' + $4::bigint * interval '1 microsecond')
    AND operation_id IS DISTINCT FROM $5::uuid
    -- One row whose version cannot grow must not fail the batch for ever; `check` names it.
    AND owner_version < 9223372036854775807
  ORDER BY lease_until
  LIMIT $1::int
  FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE operations AS o
  SET owner_version = o.owner_version + 1,
      owner_token = $2::uuid,
      -- Counted from now, so that nothing that came before eats into the lease.
      lease_until = clock_timestamp() + $3::bigint * interval '1 microsecond'
  -- Arrays, because a generic plan believes that a LIMIT $1 keeps a tenth of the table and would
  -- read all of it; an array it takes for ten rows.
  FROM unnest(
    ARRAY(SELECT operation_id FROM due),
    ARRAY(SELECT owner_version FROM due),
    ARRAY(SELECT lease_until FROM due)) AS chosen (operation_id, owner_version, lease_until)
  WHERE o.operation_id = chosen.operation_id
    -- Said again, although the rows are locked: a takeover by id alone from a list that is no
    -- longer true has reopened finished jobs elsewhere.
    AND o.owner_version = chosen.owner_version
    AND o.lease_until = chosen.lease_until
    -- A CASE and not IN: the planner must not take the index of all unresolved operations for this
    -- join, which stale statistics make look empty.
    AND CASE o.status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
  RETURNING o.operation_id, o.owner_version, chosen.lease_until AS due_since, o.account_id,
    o.amount, o.currency, o.created_at, o.submit_by, o.provider_context
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
