-- SPDX-License-Identifier: Apache-2.0
-- Spends a self-contained token and records the operation, in one statement. The caller has
-- verified the token; expires_at is the token's own.
--
-- outcome   Admitted, AlreadyAdmittedForThisOperation (with status and provider_reference), Refused
-- detail    of Refused, for the service's log and never for its caller: expired, consumed, revoked,
--           operation-id-used, details-differ
--
-- Raises    RC001 the claim lies below the cleanup mark; RC002 not Read Committed; RC004 the
--           transaction is too old; 22004 an argument is null; 22023 expires_at is not finite; and
--           whatever a table's own constraints raise, 23514 for an amount of zero. After an error
--           nothing is spent.
CREATE OR REPLACE FUNCTION admit_token_grant(
  issuer text, grant_id text, expires_at timestamptz, operation_id uuid, caller_id text,
  account_id text, amount numeric, currency text, provider_context jsonb DEFAULT NULL)
RETURNS TABLE (outcome text, status text, provider_reference text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  -- Less than this between choosing the lease and having the row was no lock wait.
  no_wait constant interval := '50 milliseconds';
  waited interval;
  deadline timestamptz;
BEGIN
  PERFORM guard_admission();
  IF num_nulls(admit_token_grant.issuer, admit_token_grant.grant_id, admit_token_grant.expires_at,
               admit_token_grant.operation_id, admit_token_grant.caller_id,
               admit_token_grant.account_id, admit_token_grant.amount,
               admit_token_grant.currency) > 0 THEN
    RAISE EXCEPTION 'admit_token_grant: an argument other than provider_context is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;
  IF NOT isfinite(admit_token_grant.expires_at) THEN
    RAISE EXCEPTION 'admit_token_grant: expires_at is %', admit_token_grant.expires_at
      USING ERRCODE = 'invalid_parameter_value', HINT = 'A grant must end.';
  END IF;

  -- In a block of its own: if the operation cannot be inserted, the claim goes with it.
  BEGIN
    WITH claim AS (
      INSERT INTO grant_consumptions (issuer, grant_id, operation_id, consumed_at, retain_until)
      SELECT admit_token_grant.issuer, admit_token_grant.grant_id, admit_token_grant.operation_id,
        clock_timestamp(), admit_token_grant.expires_at + t.admission_leeway
      FROM contract_timings AS t
      WHERE statement_timestamp() < admit_token_grant.expires_at + t.admission_leeway
      ON CONFLICT (issuer, grant_id) DO NOTHING
      -- Here the wait for another claim of this grant is over.
      RETURNING clock_timestamp() AS claimed_at
    )
    INSERT INTO operations (
      operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status,
      owner_version, lease_until, submit_by, created_at, provider_context)
    SELECT admit_token_grant.operation_id, admit_token_grant.issuer, admit_token_grant.grant_id,
      admit_token_grant.caller_id, admit_token_grant.account_id, admit_token_grant.amount,
      admit_token_grant.currency, 'Admitted', 1, claim.claimed_at + t.execution_lease,
      claim.claimed_at + t.submission_window, claim.claimed_at, admit_token_grant.provider_context
    FROM claim CROSS JOIN contract_timings AS t
    RETURNING clock_timestamp() - operations.created_at INTO waited;
  EXCEPTION WHEN unique_violation THEN
    -- Refused only if it is the id or the grant that is taken; somebody else's constraint is not.
    RETURN QUERY
      SELECT 'Refused', NULL::text, NULL::text, coalesce(r.detail, 'consumed')
      FROM read_back_admission(
        admit_token_grant.issuer, admit_token_grant.grant_id, admit_token_grant.operation_id,
        admit_token_grant.caller_id, admit_token_grant.account_id, admit_token_grant.amount,
        admit_token_grant.currency) AS r;
    IF NOT FOUND THEN
      RAISE;
    END IF;
    RETURN;
  END;

  IF waited IS NOT NULL THEN
    IF waited > no_wait THEN
      PERFORM restart_admitted(admit_token_grant.operation_id);
    END IF;
    RETURN QUERY SELECT 'Admitted', NULL::text, NULL::text, NULL::text;
    RETURN;
  END IF;

  SELECT admit_token_grant.expires_at + t.admission_leeway INTO STRICT deadline
  FROM contract_timings AS t;
  IF statement_timestamp() >= deadline THEN
    RETURN QUERY SELECT 'Refused', NULL::text, NULL::text, 'expired';
    RETURN;
  END IF;
  RETURN QUERY
    SELECT * FROM read_back_admission(
      admit_token_grant.issuer, admit_token_grant.grant_id, admit_token_grant.operation_id,
      admit_token_grant.caller_id, admit_token_grant.account_id, admit_token_grant.amount,
      admit_token_grant.currency);
  IF NOT FOUND THEN
    -- The row that refused the claim has been swept since.
    RETURN QUERY SELECT 'Refused', NULL::text, NULL::text, 'consumed';
  END IF;
END
$function$;
REVOKE ALL ON FUNCTION admit_token_grant(
  text, text, timestamptz, uuid, text, text, numeric, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit_token_grant(
  text, text, timestamptz, uuid, text, text, numeric, text, jsonb) TO reconciled_admission;
COMMENT ON FUNCTION admit_token_grant(
  text, text, timestamptz, uuid, text, text, numeric, text, jsonb) IS
  'Spends a token and records its operation: Admitted, AlreadyAdmittedForThisOperation or Refused.';
