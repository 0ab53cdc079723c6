-- SPDX-License-Identifier: Apache-2.0
-- Records a batch of verdicts, each row fenced on its own, with the evidence of those recorded.
--   $1 operation_id[]  $2 owner_version[]  $3 owner_token[]  $4 status[]
--   $5 wait, us[]  $6 but no later than[] (us since 1970 or null): the next look of an Unknown
--   $7 provider_reference[] or null  $8 finding[]  $9 reason[]  $10 http_status[] or null
--   $11 pages[]  $12 duration, us[]  $13 detail[] (JSON or null)  $14 instance
--   $15 step[]: lookup or create  $16 no create before, us from now[] or null
-- Returns the operations recorded; one that is missing was lost to another owner.
WITH verdict AS (
  SELECT * FROM unnest(
    $1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[],
    $8::text[], $9::text[], $10::int[], $11::int[], $12::bigint[], $13::text[], $15::text[],
    $16::bigint[])
  AS v (operation_id, owner_version, owner_token, status, wait_us, no_later_than_us,
        provider_reference, finding, reason, http_status, pages, duration_us, detail, step,
        not_before_us)
), recorded AS (
  UPDATE operations AS o
  SET status = v.status,
      -- Every verdict gives ownership up.
      owner_token = NULL,
      -- least() ignores nulls: without a bound the wait alone decides.
      lease_until = CASE WHEN v.status = 'Unknown' THEN least(
          clock_timestamp() + v.wait_us * interval '1 microsecond',
          timestamptz 'epoch' + v.no_later_than_us * interval '1 microsecond')
        ELSE o.lease_until END,
      provider_reference = coalesce(v.provider_reference, o.provider_reference)
  FROM verdict AS v
  WHERE o.operation_id = v.operation_id
    AND o.owner_version = v.owner_version
    AND o.owner_token = v.owner_token
    -- A CASE and not IN: the planner must not take the index of all unresolved operations for this
    -- join, which stale statistics make look empty.
    AND CASE o.status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
    AND v.status IN ('Succeeded', 'Unknown', 'NeedsReconciliation')
  -- What this look saw, not what an earlier one left in the row.
  RETURNING v.*
)
INSERT INTO recovery_evidence (
  operation_id, owner_version, owner_token, instance, step, finding, decision, reason,
  provider_reference, http_status, pages, duration, detail)
SELECT operation_id, owner_version, owner_token, $14::text, step, finding, status, reason,
  provider_reference, http_status, pages, duration_us * interval '1 microsecond',
  -- Read back by permit_create and hand_back, whatever the lease says by then.
  CASE WHEN not_before_us IS NULL THEN detail::jsonb
    ELSE coalesce(detail::jsonb, '{}') || jsonb_build_object(
      'not_before', clock_timestamp() + not_before_us * interval '1 microsecond') END
FROM recorded
RETURNING operation_id
