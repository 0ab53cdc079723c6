-- SPDX-License-Identifier: Apache-2.0
-- What a late look has seen, as evidence; the operation stays as it is.
--   $1 holder: this daemon  $2 turn, us: goes on for so long  $3 operation_id  $4 owner_version
--   $5 its newest evidence_id, as it was seen  $6 instance  $7 finding  $8 decision: none or credit
--   $9 reason  $10 provider_reference or null  $11 http_status or null  $12 pages
--   $13 duration, us  $14 detail (JSON or null)
-- Whoever writes holds the row of the turn, so two daemons never write about the same look. No row:
-- the turn was lost, or the operation has moved meanwhile.
WITH turn AS (
  UPDATE late_truth_turn
  SET until = clock_timestamp() + $2::bigint * interval '1 microsecond'
  WHERE holder = $1::uuid
  RETURNING true AS ours
)
INSERT INTO recovery_evidence (
  operation_id, owner_version, instance, step, finding, decision, reason, provider_reference,
  http_status, pages, duration, detail)
SELECT o.operation_id, o.owner_version, $6::text, 'late', $7::text, $8::text, $9::text, $10::text,
  $11::int, $12::int, $13::bigint * interval '1 microsecond', $14::jsonb
FROM operations AS o, turn
WHERE o.operation_id = $3::uuid
  AND o.owner_version = $4::bigint
  AND o.status = 'NeedsReconciliation'
  AND NOT EXISTS (
    SELECT FROM recovery_evidence AS e
    WHERE e.operation_id = o.operation_id AND e.evidence_id > $5::bigint)
RETURNING operation_id
