-- SPDX-License-Identifier: Apache-2.0
-- Claims a client's idempotency key, in autocommit, before the request is carried out.
--
-- outcome   Claimed        carry it out; claim_id fences every later write
--           InFlight       another attempt has it
--           Completed      with the stored response
--           ResultUnknown  applied, and no response is stored (yet, or any more)
--           KeyReused      the key belongs to a request with another hash
-- applied   true, read from an Executed or Completed record of this very request; null otherwise,
--           and never false: nobody can know that an attempt under way will not be applied
--
-- A Processing record older than idempotency_stale_after is taken over, and so is a Completed one
-- that has expired. Executed is a movement and is never replaced. Raises 22004 for a null argument.
CREATE OR REPLACE FUNCTION claim_idempotency_key(
  user_id text, endpoint text, idempotency_key uuid, request_hash bytea)
RETURNS TABLE (outcome text, claim_id uuid, applied boolean, response_status int,
               response_type text, response_body bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  -- Each turn means that somebody else released or took over the key meanwhile.
  turns_max constant int := 8;
  claimed uuid;
  found_record idempotency_records%ROWTYPE;
  is_expired boolean;
  is_stale boolean;
BEGIN
  IF num_nulls(claim_idempotency_key.user_id, claim_idempotency_key.endpoint,
               claim_idempotency_key.idempotency_key, claim_idempotency_key.request_hash) > 0 THEN
    RAISE EXCEPTION 'claim_idempotency_key: an argument is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;

  FOR turn IN 1 .. turns_max LOOP
    INSERT INTO idempotency_records AS r (
      user_id, endpoint, idempotency_key, state, claim_id, request_hash, claimed_at, expires_at)
    SELECT claim_idempotency_key.user_id, claim_idempotency_key.endpoint,
      claim_idempotency_key.idempotency_key, 'Processing', gen_random_uuid(),
      claim_idempotency_key.request_hash, clock_timestamp(),
      clock_timestamp() + t.idempotency_record_life
    FROM contract_timings AS t
    ON CONFLICT (user_id, endpoint, idempotency_key) DO NOTHING
    RETURNING r.claim_id INTO claimed;
    IF FOUND THEN
      RETURN QUERY SELECT 'Claimed', claimed, NULL::boolean, NULL::int, NULL::text, NULL::bytea;
      RETURN;
    END IF;

    SELECT r.* INTO found_record FROM idempotency_records AS r
    WHERE r.user_id = claim_idempotency_key.user_id
      AND r.endpoint = claim_idempotency_key.endpoint
      AND r.idempotency_key = claim_idempotency_key.idempotency_key;
    CONTINUE WHEN NOT FOUND;

    is_expired := found_record.expires_at <= clock_timestamp();
    SELECT found_record.claimed_at + t.idempotency_stale_after <= clock_timestamp()
    INTO STRICT is_stale FROM contract_timings AS t;

    -- An expired key is free again, whatever it was used for; unless money moved under it, or may
    -- be moving.
    IF found_record.request_hash <> claim_idempotency_key.request_hash
       AND NOT (is_expired AND (found_record.state = 'Completed'
                                OR found_record.state = 'Processing' AND is_stale)) THEN
      RETURN QUERY
        SELECT 'KeyReused', NULL::uuid, NULL::boolean, NULL::int, NULL::text, NULL::bytea;
      RETURN;
    END IF;
    IF found_record.state = 'Executed' THEN
      RETURN QUERY SELECT 'ResultUnknown', NULL::uuid, true, NULL::int, NULL::text, NULL::bytea;
      RETURN;
    END IF;
    IF found_record.state = 'Completed' AND NOT is_expired THEN
      RETURN QUERY SELECT 'Completed', NULL::uuid, true, found_record.response_status,
        found_record.response_type, found_record.response_body;
      RETURN;
    END IF;
    IF found_record.state = 'Processing' AND NOT is_stale THEN
      RETURN QUERY SELECT 'InFlight', NULL::uuid, NULL::boolean, NULL::int, NULL::text, NULL::bytea;
      RETURN;
    END IF;
    -- Fenced: an attempt that commits mark_executed meanwhile has rotated the id and keeps it all.
    DELETE FROM idempotency_records AS r
    WHERE r.user_id = found_record.user_id AND r.endpoint = found_record.endpoint
      AND r.idempotency_key = found_record.idempotency_key
      AND r.claim_id = found_record.claim_id AND r.state = found_record.state;
  END LOOP;
  RETURN QUERY SELECT 'InFlight', NULL::uuid, NULL::boolean, NULL::int, NULL::text, NULL::bytea;
END
$function$;
REVOKE ALL ON FUNCTION claim_idempotency_key(text, text, uuid, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_idempotency_key(text, text, uuid, bytea) TO reconciled_admission;
COMMENT ON FUNCTION claim_idempotency_key(text, text, uuid, bytea) IS
  'Claimed, InFlight, Completed, KeyReused or ResultUnknown; applied is true or null.';
