-- SPDX-License-Identifier: Apache-2.0
-- A person says how an operation ended, with evidence of what they and the provider said.
--   $1 operation_id  $2 the owner_version and $3 the status that were seen  $4 the final status
--   $5 why  $6 provider_reference or null  $7 settle time, us  $8 instance  $9 actor
--   the look that was just made, all null if it was left out: $10 finding  $11 http_status
--   $12 pages  $13 duration, us  $14 detail (JSON)
-- Anything but Succeeded waits until nobody may send a create any more and the provider has
-- settled: before that a credit may still come. No row: somebody was faster, it is in flight, or it
-- is too early.
WITH resolved AS (
  UPDATE operations AS o
  SET status = $4::text,
      owner_token = NULL,
      provider_reference = coalesce($6::text, o.provider_reference)
  WHERE o.operation_id = $1::uuid
    AND o.owner_version = $2::bigint
    AND o.status = $3::text
    AND o.status IN ('NeedsReconciliation', 'Unknown')
    AND (o.owner_token IS NULL OR o.lease_until <= clock_timestamp())
    AND ($4::text = 'Succeeded'
      OR o.submit_by + $7::bigint * interval '1 microsecond' <= clock_timestamp())
  RETURNING o.operation_id, o.owner_version, o.status, o.provider_reference
)
INSERT INTO recovery_evidence (
  operation_id, owner_version, instance, step, finding, decision, reason, provider_reference,
  http_status, pages, duration, detail)
SELECT operation_id, owner_version, $8::text, 'resolution', $10::text, status, $5::text,
  provider_reference, $11::int, $12::int, $13::bigint * interval '1 microsecond',
  jsonb_build_object('actor', $9::text, 'login', session_user, 'from', $3::text)
    || coalesce($14::jsonb, '{}')
FROM resolved
RETURNING operation_id
