-- SPDX-License-Identifier: Apache-2.0
-- A person sends an operation that was left to them back to be looked at: due now, with evidence.
--   $1 operation_id  $2 the owner_version that was seen  $3 instance  $4 actor: who sat at the
--   terminal  $5 why, or null
-- The version stays: the next takeover raises it. A create's not-before is in evidence and stays
-- (design section 6). No row: somebody was faster, or it is not a person's turn.
WITH sent_back AS (
  UPDATE operations AS o
  SET status = 'Unknown',
      owner_token = NULL,
      lease_until = clock_timestamp()
  WHERE o.operation_id = $1::uuid
    AND o.owner_version = $2::bigint
    AND o.status = 'NeedsReconciliation'
  RETURNING o.operation_id, o.owner_version
)
INSERT INTO recovery_evidence (
  operation_id, owner_version, instance, step, decision, reason, detail)
SELECT operation_id, owner_version, $3::text, 'recheck', 'Unknown', 'rechecked',
  jsonb_strip_nulls(jsonb_build_object(
    'actor', $4::text, 'login', session_user, 'from', 'NeedsReconciliation', 'why', $5::text))
FROM sent_back
RETURNING operation_id
