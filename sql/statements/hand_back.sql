-- SPDX-License-Identifier: Apache-2.0
-- Gives ownership up without a verdict, at shutdown: due again at once, the status untouched. Only
-- what the provider asked us not to create before some moment waits for that.
--   $1 operation_id[]  $2 owner_version[]  $3 owner_token[]  $4 instance
-- Returns the operations handed back; one that is missing was no longer owned.
WITH handed_back AS (
  UPDATE operations AS o
  SET owner_token = NULL,
      -- greatest() ignores nulls.
      lease_until = greatest(clock_timestamp(), (
        SELECT max(least(o.submit_by, (e.detail ->> 'not_before')::timestamptz))
        FROM recovery_evidence AS e
        WHERE e.operation_id = o.operation_id AND e.step = 'create' AND e.detail ? 'not_before'))
  FROM unnest($1::uuid[], $2::bigint[], $3::uuid[])
    AS owned (operation_id, owner_version, owner_token)
  WHERE o.operation_id = owned.operation_id
    AND o.owner_version = owned.owner_version
    AND o.owner_token = owned.owner_token
    -- A CASE and not IN: the planner must not take the index of all unresolved operations for this
    -- join, which stale statistics make look empty.
    AND CASE o.status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
  RETURNING owned.*
)
INSERT INTO recovery_evidence (
  operation_id, owner_version, owner_token, instance, step, decision, reason)
SELECT operation_id, owner_version, owner_token, $4::text, 'handback', 'handed-back', 'shutdown'
FROM handed_back
RETURNING operation_id
