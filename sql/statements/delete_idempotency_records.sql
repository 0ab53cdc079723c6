-- SPDX-License-Identifier: Apache-2.0
-- Deletes expired idempotency records, oldest first, at most $1: Completed, Processing that is
-- stale as well, and Executed, whose answer is lost with it and is written down in the same
-- transaction. Fenced by claim_id. What somebody else has locked stays for a later sweep.
--
-- One row for each lost answer, or one with nulls; each with the number deleted.
WITH due AS (
  SELECT r.user_id, r.endpoint, r.idempotency_key, r.claim_id
  FROM idempotency_records AS r
  WHERE r.expires_at < statement_timestamp()
    AND (r.state <> 'Processing'
         OR r.claimed_at
            < statement_timestamp() - (SELECT idempotency_stale_after FROM contract_timings))
  ORDER BY r.expires_at
  LIMIT $1::int
  FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM idempotency_records AS r
  USING due
  WHERE r.user_id = due.user_id AND r.endpoint = due.endpoint
    AND r.idempotency_key = due.idempotency_key AND r.claim_id = due.claim_id
  RETURNING r.user_id, r.endpoint, r.idempotency_key, r.claim_id, r.request_hash, r.claimed_at,
    r.expires_at, r.state
), lost AS (
  INSERT INTO idempotency_answers_lost (
    user_id, endpoint, idempotency_key, claim_id, request_hash, claimed_at, expires_at)
  SELECT user_id, endpoint, idempotency_key, claim_id, request_hash, claimed_at, expires_at
  FROM deleted WHERE state = 'Executed'
)
SELECT total.deleted, gone.user_id, gone.endpoint, gone.idempotency_key
FROM (SELECT count(*) AS deleted FROM deleted) AS total
LEFT JOIN deleted AS gone ON gone.state = 'Executed'
ORDER BY gone.expires_at
