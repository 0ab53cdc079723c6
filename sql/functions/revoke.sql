-- SPDX-License-Identifier: Apache-2.0
-- Revocation contends with admission for the same row, or for the same key: whichever commits first
-- has it. Each returns whether this call revoked the grant; false if it is spent or revoked
-- already, and a revocation after an admission changes nothing. Raises 22004 for a null argument.
--
-- The caller has proved that the grant was issued: these functions cannot know.

-- expires_at must be the token's own, trusted: the row that refuses the token is kept until then
-- and the leeway, and no longer. Raises 22023 if it is not finite.
CREATE OR REPLACE FUNCTION revoke_token_grant(issuer text, grant_id text, expires_at timestamptz)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM commit_durably();
  IF num_nulls(revoke_token_grant.issuer, revoke_token_grant.grant_id,
               revoke_token_grant.expires_at) > 0 THEN
    RAISE EXCEPTION 'revoke_token_grant: an argument is null'
      USING ERRCODE = 'null_value_not_allowed',
            HINT = 'Without the expiry call revoke_token_grant_without_expiry.';
  END IF;
  IF NOT isfinite(revoke_token_grant.expires_at) THEN
    RAISE EXCEPTION 'revoke_token_grant: expires_at is %', revoke_token_grant.expires_at
      USING ERRCODE = 'invalid_parameter_value', HINT = 'A grant must end.';
  END IF;
  INSERT INTO grant_consumptions (issuer, grant_id, operation_id, consumed_at, retain_until)
  SELECT revoke_token_grant.issuer, revoke_token_grant.grant_id, NULL, clock_timestamp(),
    revoke_token_grant.expires_at + t.admission_leeway
  FROM contract_timings AS t
  ON CONFLICT (issuer, grant_id) DO NOTHING;
  RETURN FOUND;
END
$function$;

-- Where the expiry is not at hand: no token issued until now can outlive the longest lifetime, the
-- skew of its issuer's clock and the leeway.
CREATE OR REPLACE FUNCTION revoke_token_grant_without_expiry(issuer text, grant_id text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM commit_durably();
  IF num_nulls(revoke_token_grant_without_expiry.issuer,
               revoke_token_grant_without_expiry.grant_id) > 0 THEN
    RAISE EXCEPTION 'revoke_token_grant_without_expiry: an argument is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;
  INSERT INTO grant_consumptions (issuer, grant_id, operation_id, consumed_at, retain_until)
  SELECT revoke_token_grant_without_expiry.issuer, revoke_token_grant_without_expiry.grant_id, NULL,
    clock_timestamp(),
    clock_timestamp() + t.maximum_grant_lifetime + t.issue_time_skew + t.admission_leeway
  FROM contract_timings AS t
  ON CONFLICT (issuer, grant_id) DO NOTHING;
  RETURN FOUND;
END
$function$;

-- False also for a grant that is not stored.
CREATE OR REPLACE FUNCTION revoke_row_grant(issuer text, grant_id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
BEGIN
  PERFORM commit_durably();
  IF num_nulls(revoke_row_grant.issuer, revoke_row_grant.grant_id) > 0 THEN
    RAISE EXCEPTION 'revoke_row_grant: an argument is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;
  UPDATE grants AS g
  SET revoked_at = clock_timestamp()
  WHERE g.issuer = revoke_row_grant.issuer AND g.grant_id = revoke_row_grant.grant_id
    AND g.consumed_at IS NULL AND g.revoked_at IS NULL;
  RETURN FOUND;
END
$function$;

REVOKE ALL ON FUNCTION revoke_token_grant(text, text, timestamptz),
  revoke_token_grant_without_expiry(text, text), revoke_row_grant(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION revoke_token_grant(text, text, timestamptz),
  revoke_token_grant_without_expiry(text, text), revoke_row_grant(text, text)
  TO reconciled_revocation;
COMMENT ON FUNCTION revoke_token_grant(text, text, timestamptz) IS
  'Whether this call revoked the token; expires_at must be the token''s own.';
COMMENT ON FUNCTION revoke_token_grant_without_expiry(text, text) IS
  'Whether this call revoked the token; kept for the longest lifetime that a token can have.';
COMMENT ON FUNCTION revoke_row_grant(text, text) IS
  'Whether this call revoked the stored grant.';
