-- SPDX-License-Identifier: Apache-2.0
-- What the gauges show: one row for each status and reason of the operations without an outcome;
-- where there is none, one row with nulls. Both indexes hold only such operations, so that the
-- cost grows with what is unresolved and not with what is stored.
WITH waiting AS (
  SELECT operation_id, status, owner_version, lease_until, created_at
  FROM operations
  WHERE status IN ('Admitted', 'Unknown')
  UNION ALL
  -- A person decides about these: no lease of theirs is due.
  SELECT operation_id, status, owner_version, timestamptz 'infinity', created_at
  FROM operations
  WHERE status = 'NeedsReconciliation'
)
SELECT
  (extract(epoch FROM clock.now) * 1000000)::bigint AS now_us,
  -- Null before the first ANALYZE, and for a view over the service's own table.
  (SELECT reltuples::bigint FROM pg_catalog.pg_class
   WHERE oid = to_regclass('grant_consumptions') AND relkind IN ('r', 'p') AND reltuples >= 0)
    AS consumption_rows,
  status,
  reason,
  operations,
  due,
  (extract(epoch FROM clock.now - oldest_due) * 1000000)::bigint AS oldest_due_us,
  (extract(epoch FROM clock.now - oldest_created) * 1000000)::bigint AS oldest_created_us
FROM (SELECT statement_timestamp() AS now) AS clock
LEFT JOIN (
  SELECT waiting.status, verdict.reason, count(*) AS operations,
    count(*) FILTER (WHERE lease_until < statement_timestamp()) AS due,
    -- No CHECK keeps infinity out of a view over the service's table.
    min(greatest(lease_until, 'epoch')) FILTER (WHERE lease_until < statement_timestamp())
      AS oldest_due,
    least(greatest(min(created_at), 'epoch'), statement_timestamp()) AS oldest_created
  FROM waiting
  LEFT JOIN LATERAL (
    SELECT evidence.reason
    FROM recovery_evidence AS evidence
    WHERE evidence.operation_id = waiting.operation_id AND evidence.decision = waiting.status
      -- Nobody looked before the first takeover: the usual operation costs no read of evidence.
      AND waiting.owner_version > 1
    ORDER BY evidence.evidence_id DESC
    LIMIT 1
  ) AS verdict ON true
  GROUP BY waiting.status, verdict.reason
) AS groups ON true
