-- SPDX-License-Identifier: Apache-2.0
-- A person turns creating again on or off for every daemon of this database.
--   $1 on  $2 reason  $3 instance  $4 actor: who sat at the terminal
-- The evidence stands under the nil operation, which no operation can have as its id.
-- Returns what the switch was before; no row: the contract has lost its switch.
WITH before AS (
  SELECT enabled FROM resubmission_switch FOR UPDATE
), changed AS (
  UPDATE resubmission_switch
  SET enabled = $1::boolean,
      changed_at = clock_timestamp(),
      changed_by = session_user,
      reason = $2::text
  FROM before
  RETURNING before.enabled AS was_enabled, resubmission_switch.enabled
), noted AS (
  INSERT INTO recovery_evidence (
    operation_id, owner_version, instance, step, decision, reason, detail)
  SELECT '00000000-0000-0000-0000-000000000000', 0, $3::text, 'switch',
    CASE WHEN enabled THEN 'Enabled' ELSE 'Disabled' END, $2::text,
    jsonb_build_object('actor', $4::text, 'login', session_user, 'was_enabled', was_enabled)
  FROM changed
)
SELECT was_enabled FROM changed
