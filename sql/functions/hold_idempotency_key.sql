-- SPDX-License-Identifier: Apache-2.0
-- What the holder of an idempotency key does with it. Every write names the claim id.

-- Where a retried attempt stands, for one that starts from the database:
--   Mine       the claim is still this attempt's, and nothing has committed under it
--   Committed  the business transaction has committed; applied is true
--   Gone       no record: released or swept
--   Replaced   somebody else's: another claim, or a request with another hash
CREATE OR REPLACE FUNCTION read_idempotency_key(
  user_id text, endpoint text, idempotency_key uuid, claim_id uuid, request_hash bytea)
RETURNS TABLE (outcome text, applied boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
  SELECT coalesce(record.outcome, 'Gone'),
    CASE WHEN record.outcome = 'Committed' THEN true END
  FROM (SELECT) AS always LEFT JOIN (
    SELECT CASE
      WHEN r.request_hash IS DISTINCT FROM read_idempotency_key.request_hash THEN 'Replaced'
      WHEN r.state IN ('Executed', 'Completed') THEN 'Committed'
      WHEN r.claim_id = read_idempotency_key.claim_id THEN 'Mine'
      ELSE 'Replaced' END AS outcome
    FROM idempotency_records AS r
    WHERE r.user_id = read_idempotency_key.user_id
      AND r.endpoint = read_idempotency_key.endpoint
      AND r.idempotency_key = read_idempotency_key.idempotency_key) AS record ON true
$function$;

-- Called inside the service's business transaction. Returns the rotated claim id: from the commit
-- on, the old one matches nothing, so an attempt that is run again changes nothing, and the record
-- proves the commit. Raises RC003 if the claim is not the caller's or not Processing, so that the
-- transaction cannot commit. Do not catch it inside the transaction.
CREATE OR REPLACE FUNCTION mark_executed(
  user_id text, endpoint text, idempotency_key uuid, claim_id uuid)
RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  rotated uuid;
BEGIN
  PERFORM commit_durably();
  UPDATE idempotency_records AS r
  SET state = 'Executed', claim_id = gen_random_uuid()
  WHERE r.user_id = mark_executed.user_id
    AND r.endpoint = mark_executed.endpoint
    AND r.idempotency_key = mark_executed.idempotency_key
    AND r.claim_id = mark_executed.claim_id
    AND r.state = 'Processing'
  RETURNING r.claim_id INTO rotated;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the claim of idempotency key % is lost', mark_executed.idempotency_key
      USING ERRCODE = 'RC003',
            HINT = 'Roll back and ask read_idempotency_key what became of the request.';
  END IF;
  RETURN rotated;
END
$function$;

-- Stores the response, under the rotated id. False, and the record stays Executed, if the claim is
-- another's or the response is not one to give again: 2xx, not empty, at most 64 KiB.
CREATE OR REPLACE FUNCTION complete_idempotency_key(
  user_id text, endpoint text, idempotency_key uuid, claim_id uuid, response_status int,
  response_type text, response_body bytea)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
BEGIN
  UPDATE idempotency_records AS r
  SET state = 'Completed',
      response_status = complete_idempotency_key.response_status,
      response_type = complete_idempotency_key.response_type,
      response_body = complete_idempotency_key.response_body
  WHERE r.user_id = complete_idempotency_key.user_id
    AND r.endpoint = complete_idempotency_key.endpoint
    AND r.idempotency_key = complete_idempotency_key.idempotency_key
    AND r.claim_id = complete_idempotency_key.claim_id
    AND r.state = 'Executed'
    AND complete_idempotency_key.response_status BETWEEN 200 AND 299
    AND complete_idempotency_key.response_type IS NOT NULL
    AND octet_length(complete_idempotency_key.response_body) BETWEEN 1 AND 65536;
  RETURN FOUND;
END
$function$;

-- Gives the key back after an attempt that committed nothing. Deletes only Processing, so it cannot
-- undo what mark_executed has said.
CREATE OR REPLACE FUNCTION release_idempotency_key(
  user_id text, endpoint text, idempotency_key uuid, claim_id uuid)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
BEGIN
  DELETE FROM idempotency_records AS r
  WHERE r.user_id = release_idempotency_key.user_id
    AND r.endpoint = release_idempotency_key.endpoint
    AND r.idempotency_key = release_idempotency_key.idempotency_key
    AND r.claim_id = release_idempotency_key.claim_id
    AND r.state = 'Processing';
  RETURN FOUND;
END
$function$;

REVOKE ALL ON FUNCTION read_idempotency_key(text, text, uuid, uuid, bytea),
  mark_executed(text, text, uuid, uuid),
  complete_idempotency_key(text, text, uuid, uuid, int, text, bytea),
  release_idempotency_key(text, text, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_idempotency_key(text, text, uuid, uuid, bytea),
  mark_executed(text, text, uuid, uuid),
  complete_idempotency_key(text, text, uuid, uuid, int, text, bytea),
  release_idempotency_key(text, text, uuid, uuid) TO reconciled_admission;
COMMENT ON FUNCTION read_idempotency_key(text, text, uuid, uuid, bytea) IS
  'Mine, Committed (applied), Gone or Replaced.';
COMMENT ON FUNCTION mark_executed(text, text, uuid, uuid) IS
  'Inside the business transaction: the rotated claim id, or RC003.';
COMMENT ON FUNCTION complete_idempotency_key(text, text, uuid, uuid, int, text, bytea) IS
  'Whether the response was stored under the rotated claim id.';
COMMENT ON FUNCTION release_idempotency_key(text, text, uuid, uuid) IS
  'Whether the key was given back; only while Processing.';
