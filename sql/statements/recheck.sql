-- SPDX-License-Identifier: Apache-2.0
-- A person sends an operation that was left to them back to be looked at: due now, with evidence.
-- Only what the provider asked us not to create before some moment waits for that (design section
-- 6), as hand_back has it.
--   $1 operation_id  $2 the owner_version that was seen  $3 instance  $4 actor: who sat at the
--   terminal  $5 why, or null
-- The version stays: the next takeover raises it. Returns when it is looked at, in us since 1970,
-- and whether that is later than now. No row: somebody was faster, or it is not a person's turn.
WITH sent_back AS (
  UPDATE operations AS o
  SET status = 'Unknown',
      owner_token = NULL,
      -- greatest() ignores nulls.
      lease_until = greatest(clock_timestamp(), (
        SELECT max(least(o.submit_by, (e.detail ->> 'not_before')::timestamptz))
        FROM recovery_evidence AS e
        WHERE e.operation_id = o.operation_id AND e.step = 'create' AND e.detail ? 'not_before'))
  WHERE o.operation_id = $1::uuid
    AND o.owner_version = $2::bigint
    AND o.status = 'NeedsReconciliation'
  RETURNING o.operation_id, o.owner_version, o.lease_until
), told AS (
  INSERT INTO recovery_evidence (
    operation_id, owner_version, instance, step, decision, reason, detail)
  SELECT operation_id, owner_version, $3::text, 'recheck', 'Unknown', 'rechecked',
    jsonb_strip_nulls(jsonb_build_object(
      'actor', $4::text, 'login', session_user, 'from', 'NeedsReconciliation', 'why', $5::text))
  FROM sent_back
)
SELECT (extract(epoch FROM lease_until) * 1000000)::bigint AS due_at_us,
  lease_until > clock_timestamp() AS waits
FROM sent_back
