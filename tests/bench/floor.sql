-- SPDX-License-Identifier: Apache-2.0
-- What PostgreSQL itself costs: one batch taken over and one recorded with evidence, without looking
-- anything up.
WITH due AS (
  SELECT operation_id FROM operations
  WHERE status IN ('Admitted', 'Unknown') AND lease_until < statement_timestamp()
  ORDER BY lease_until LIMIT :batch FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE operations AS o
  SET owner_version = owner_version + 1, lease_until = clock_timestamp() + interval '60 seconds'
  FROM due WHERE o.operation_id = due.operation_id
  RETURNING o.operation_id, o.owner_version
)
SELECT array_agg(operation_id) AS ids, array_agg(owner_version) AS versions FROM taken \gset
WITH done AS (
  UPDATE operations AS o SET status = 'Succeeded', provider_reference = 'cr_' || v.id
  FROM unnest(:'ids'::uuid[], :'versions'::bigint[]) AS v (id, version)
  WHERE o.operation_id = v.id AND o.owner_version = v.version AND o.status IN ('Admitted', 'Unknown')
  RETURNING o.operation_id, o.owner_version, o.status, o.provider_reference
)
INSERT INTO recovery_evidence (operation_id, owner_version, owner_token, instance, step, finding, decision,
  reason, provider_reference, http_status, pages, duration)
SELECT operation_id, owner_version, gen_random_uuid(), 'floor', 'lookup', 'found', status, 'proven',
  provider_reference, 200, 1, interval '5 ms'
FROM done;
