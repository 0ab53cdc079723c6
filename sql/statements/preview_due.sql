-- SPDX-License-Identifier: Apache-2.0
-- What take_over would take, for a dry run: no lock, no write, SELECT only, on a standby too.
--   $1 limit  $2, $3 the last row of the page before (lease, us, and id; at first 0 and the nil
--   uuid)  $4 leases that ended before this only, or null
-- The columns of take_over, the owner_version as it stands, and the status as the last one.
WITH taken AS (
  SELECT operation_id, owner_version, lease_until AS due_since, account_id, amount, currency,
    created_at, submit_by, provider_context, status
  FROM operations
  WHERE status IN ('Admitted', 'Unknown')
    AND lease_until
      < least(statement_timestamp(), timestamptz 'epoch' + $4::bigint * interval '1 microsecond')
    AND (lease_until, operation_id)
      > (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::uuid)
  ORDER BY lease_until, operation_id
  LIMIT $1::int
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
  looks_since_recheck,
  status
FROM (SELECT statement_timestamp() AS as_of) AS clock
LEFT JOIN (
  -- A view over the service's table has no CHECK that keeps infinity out, and one such row must
  -- not fail the batch. Up to the year 9999 all sums of microseconds fit into 64 bits.
  SELECT operation_id, owner_version, account_id, amount, currency, provider_context,
    least(greatest(due_since, 'epoch'), '9999-12-31Z') AS due_since,
    least(greatest(created_at, 'epoch'), '9999-12-31Z') AS created_at,
    least(greatest(submit_by, 'epoch'), '9999-12-31Z') AS submit_by,
    earlier.credit_seen, earlier.looks_since_recheck, status
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
    WHERE e.operation_id = taken.operation_id AND taken.owner_version > 1
  ) AS earlier
) AS found ON true
ORDER BY due_since, operation_id
