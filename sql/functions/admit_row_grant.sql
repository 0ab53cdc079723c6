-- SPDX-License-Identifier: Apache-2.0
-- Spends a stored grant and records the operation, in one statement. Outcomes, details and errors
-- are those of admit_token_grant (without 22023); the row's own expires_at counts, and a grant that
-- is not stored is refused as expired. It writes no consumption row, so the cleanup mark has no
-- part in it.
CREATE OR REPLACE FUNCTION admit_row_grant(
  issuer text, grant_id text, operation_id uuid, caller_id text, account_id text, amount numeric,
  currency text, provider_context jsonb DEFAULT NULL)
RETURNS TABLE (outcome text, status text, provider_reference text, detail text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  -- Less than this between choosing the lease and having the row was no lock wait.
  no_wait constant interval := '50 milliseconds';
  waited interval;
BEGIN
  PERFORM guard_admission();
  IF num_nulls(admit_row_grant.issuer, admit_row_grant.grant_id, admit_row_grant.operation_id,
               admit_row_grant.caller_id, admit_row_grant.account_id, admit_row_grant.amount,
               admit_row_grant.currency) > 0 THEN
    RAISE EXCEPTION 'admit_row_grant: an argument other than provider_context is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;

  -- In a block of its own: if the operation cannot be inserted, the claim goes with it.
  BEGIN
    WITH claim AS (
      UPDATE grants AS g
      SET consumed_at = clock_timestamp(), consumed_by_operation = admit_row_grant.operation_id
      FROM contract_timings AS t
      WHERE g.issuer = admit_row_grant.issuer AND g.grant_id = admit_row_grant.grant_id
        AND g.consumed_at IS NULL AND g.revoked_at IS NULL
        AND statement_timestamp() < g.expires_at + t.admission_leeway
      -- Here the wait for another claim of this grant is over.
      RETURNING clock_timestamp() AS claimed_at
    )
    INSERT INTO operations (
      operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status,
      owner_version, lease_until, submit_by, created_at, provider_context)
    SELECT admit_row_grant.operation_id, admit_row_grant.issuer, admit_row_grant.grant_id,
      admit_row_grant.caller_id, admit_row_grant.account_id, admit_row_grant.amount,
      admit_row_grant.currency, 'Admitted', 1, claim.claimed_at + t.execution_lease,
      claim.claimed_at + t.submission_window, claim.claimed_at, admit_row_grant.provider_context
    FROM claim CROSS JOIN contract_timings AS t
    RETURNING clock_timestamp() - operations.created_at INTO waited;
  EXCEPTION WHEN unique_violation THEN
    -- Refused only if it is the id or the grant that is taken; somebody else's constraint is not.
    RETURN QUERY
      SELECT 'Refused', NULL::text, NULL::text, coalesce(r.detail, 'consumed')
      FROM read_back_admission(
        admit_row_grant.issuer, admit_row_grant.grant_id, admit_row_grant.operation_id,
        admit_row_grant.caller_id, admit_row_grant.account_id, admit_row_grant.amount,
        admit_row_grant.currency) AS r;
    IF NOT FOUND THEN
      RAISE;
    END IF;
    RETURN;
  END;

  IF waited IS NOT NULL THEN
    IF waited > no_wait THEN
      PERFORM restart_admitted(admit_row_grant.operation_id);
    END IF;
    RETURN QUERY SELECT 'Admitted', NULL::text, NULL::text, NULL::text;
    RETURN;
  END IF;

  -- Only a stored grant whose time has not come is worth a second look.
  IF EXISTS (
    SELECT FROM grants AS g CROSS JOIN contract_timings AS t
    WHERE g.issuer = admit_row_grant.issuer AND g.grant_id = admit_row_grant.grant_id
      AND statement_timestamp() < g.expires_at + t.admission_leeway) THEN
    RETURN QUERY
      SELECT * FROM read_back_admission(
        admit_row_grant.issuer, admit_row_grant.grant_id, admit_row_grant.operation_id,
        admit_row_grant.caller_id, admit_row_grant.account_id, admit_row_grant.amount,
        admit_row_grant.currency);
    IF FOUND THEN
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT 'Refused', NULL::text, NULL::text, 'expired';
END
$function$;
REVOKE ALL ON FUNCTION admit_row_grant(
  text, text, uuid, text, text, numeric, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit_row_grant(
  text, text, uuid, text, text, numeric, text, jsonb) TO reconciled_admission;
COMMENT ON FUNCTION admit_row_grant(text, text, uuid, text, text, numeric, text, jsonb) IS
  'Spends a stored grant and records its operation: outcomes as of admit_token_grant.';
