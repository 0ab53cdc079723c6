-- SPDX-License-Identifier: Apache-2.0
-- Whether this owner may create the operation again, now: asks the service's eligibility function,
-- and writes its decision and, if all holds, that the create is being sent. One statement, in a
-- REPEATABLE READ transaction of its own: a volatile function sees two states otherwise, and a row
-- that changed meanwhile fails it (40001) instead of passing by. Nothing may be sent before it is
-- committed.
--   $1 operation_id  $2 owner_version  $3 owner_token  $4 instance
--   $5 us since 1970: the lookup that found nothing was not sent before this
--   $6 settle time, us  $7 of the lease this much must be left, us
--   $8 how long after created_at the provider surely knows the key, us; null: for ever
--   $9 JSON object: what that lookup found, for the evidence
-- `eligibility_function` stands for the operator's recovery.eligibility_function.
-- One row if the caller owns the operation, else none.
WITH durable AS MATERIALIZED (
  -- A crash of the server must not forget a Sending whose create went out.
  SELECT CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
    THEN set_config('synchronous_commit', 'on', true) END AS raised
), owned AS MATERIALIZED (
  SELECT operation_id, owner_version, owner_token, lease_until, submit_by,
    least(submit_by, created_at + $8::bigint * interval '1 microsecond') AS send_by
  FROM operations
  WHERE operation_id = $1::uuid
    AND owner_version = $2::bigint
    AND owner_token = $3::uuid
    -- A CASE and not IN, so that only the primary key can serve, whatever the statistics say.
    AND CASE status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
  FOR UPDATE
), attempts AS (
  -- An attempt was over when its outcome was written; one that left none, when its lease ended:
  -- until then its request may still have gone out.
  SELECT coalesce(
    max(observed_at) FILTER (WHERE decision <> 'Sending'),
    max((detail ->> 'lease_until')::timestamptz),
    max(observed_at)) AS over_at
  FROM recovery_evidence
  WHERE operation_id = $1::uuid AND step = 'create'
  GROUP BY owner_version
), earlier AS MATERIALIZED (
  SELECT
    (SELECT max(over_at) FROM attempts) AS create_over_at,
    max((detail ->> 'not_before')::timestamptz) FILTER (WHERE step = 'create') AS not_before,
    coalesce(max(evidence_id) FILTER (WHERE step = 'eligibility' AND decision = 'Denied'), 0)
      > coalesce(max(evidence_id) FILTER (WHERE step = 'recheck'), 0) AS denied
  FROM recovery_evidence
  WHERE operation_id = $1::uuid
), judged AS MATERIALIZED (
  SELECT owned.*, CASE
    WHEN NOT coalesce((SELECT bool_and(enabled) FROM resubmission_switch), false)
      THEN 'switched-off'
    WHEN denied THEN 'denied'
    WHEN clock_timestamp() >= submit_by THEN 'window-over'
    WHEN clock_timestamp() >= send_by THEN 'key-forgotten'
    WHEN clock_timestamp() < not_before THEN 'not-before'
    -- By the lookup's time: one that began before the earlier create had settled proves nothing.
    WHEN least(clock_timestamp(), timestamptz 'epoch' + $5::bigint * interval '1 microsecond')
      <= create_over_at + $6::bigint * interval '1 microsecond' THEN 'settling'
    WHEN clock_timestamp() + $7::bigint * interval '1 microsecond' >= lease_until
      THEN 'lease-short'
    END AS hindrance
  FROM durable CROSS JOIN owned CROSS JOIN earlier
), asked AS MATERIALIZED (
  -- Called once, and only if nothing else stands in the way. No row, or several, is no decision.
  SELECT judged.*, answer.word, answer.decision_id, answer.reason,
    CASE WHEN answer.word IN ('Allowed', 'Denied') THEN answer.word ELSE 'CannotDetermine' END
      AS decision
  FROM judged CROSS JOIN LATERAL (
    SELECT
      CASE count(*) WHEN 1 THEN max(left(e.outcome, 64)) END AS word,
      CASE count(*) WHEN 1 THEN max(left(e.decision_id, 255)) END AS decision_id,
      CASE count(*) WHEN 1 THEN max(left(e.reason, 1000)) ELSE count(*) || ' rows' END AS reason
    FROM eligibility_function(judged.operation_id) AS e (outcome, decision_id, reason)
  ) AS answer
  WHERE hindrance IS NULL
), decided AS (
  INSERT INTO recovery_evidence (
    operation_id, owner_version, owner_token, instance, step, decision, reason, detail)
  SELECT operation_id, owner_version, owner_token, $4::text, 'eligibility', decision, reason,
    jsonb_strip_nulls(jsonb_build_object(
      'decision_id', decision_id,
      'answer', CASE WHEN word IS DISTINCT FROM decision THEN word END,
      'lookup', $9::jsonb))
  FROM asked
  RETURNING decision
), sending AS (
  -- After the decision's row, and by the clock as it is after the function has run.
  INSERT INTO recovery_evidence (
    operation_id, owner_version, owner_token, instance, step, decision, reason, detail)
  SELECT operation_id, owner_version, owner_token, $4::text, 'create', 'Sending', 'allowed',
    jsonb_strip_nulls(jsonb_build_object(
      'decision_id', decision_id,
      'lease_until', lease_until))
  FROM asked JOIN decided USING (decision)
  WHERE decision = 'Allowed'
    AND clock_timestamp() < send_by
    AND clock_timestamp() + $7::bigint * interval '1 microsecond' < lease_until
  RETURNING operation_id
)
SELECT
  hindrance,
  (SELECT decision FROM decided) AS decision,
  EXISTS (SELECT FROM sending) AS may_send,
  -- How long the beginning of the send may wait.
  (extract(epoch FROM
    least(send_by, lease_until - $7::bigint * interval '1 microsecond') - clock_timestamp())
    * 1000000)::bigint AS send_within_us
FROM judged
