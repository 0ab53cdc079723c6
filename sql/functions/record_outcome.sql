-- SPDX-License-Identifier: Apache-2.0
-- The original executor's own outcome: Succeeded, Failed (the provider refused definitely) or
-- Unknown. Returns whether it was recorded: only from Admitted, at the executor's own version and
-- while no recovery owns the row, so that a late handler changes nothing. The evidence of step
-- executor is written by the same statement. Raises 22004 or 22023 for an outcome that is none.
--
-- Unknown gives ownership up: recovery looks at once and need not wait for the lease.
CREATE OR REPLACE FUNCTION record_outcome(
  operation_id uuid, owner_version bigint, outcome text, provider_reference text DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
BEGIN
  PERFORM commit_durably();
  IF num_nulls(record_outcome.operation_id, record_outcome.owner_version,
               record_outcome.outcome) > 0 THEN
    RAISE EXCEPTION 'record_outcome: an argument other than provider_reference is null'
      USING ERRCODE = 'null_value_not_allowed';
  END IF;
  IF record_outcome.outcome NOT IN ('Succeeded', 'Failed', 'Unknown') THEN
    RAISE EXCEPTION 'record_outcome: an executor''s outcome is Succeeded, Failed or Unknown, not %',
      quote_literal(left(record_outcome.outcome, 64))
    USING ERRCODE = 'invalid_parameter_value';
  END IF;

  WITH recorded AS (
    UPDATE operations AS o
    SET status = record_outcome.outcome,
        provider_reference = coalesce(record_outcome.provider_reference, o.provider_reference),
        lease_until = CASE record_outcome.outcome
          WHEN 'Unknown' THEN least(o.lease_until, clock_timestamp())
          ELSE o.lease_until END
    WHERE o.operation_id = record_outcome.operation_id
      AND o.owner_version = record_outcome.owner_version
      AND o.owner_token IS NULL
      AND o.status = 'Admitted'
    RETURNING o.operation_id, o.owner_version
  )
  INSERT INTO recovery_evidence (
    operation_id, owner_version, instance, step, decision, reason, provider_reference, detail)
  SELECT r.operation_id, r.owner_version,
    coalesce(nullif(current_setting('application_name'), ''), session_user), 'executor',
    record_outcome.outcome, 'reported-by-executor', record_outcome.provider_reference,
    jsonb_build_object('login', session_user)
  FROM recorded AS r;
  RETURN FOUND;
END
$function$;
REVOKE ALL ON FUNCTION record_outcome(uuid, bigint, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_outcome(uuid, bigint, text, text) TO reconciled_admission;
COMMENT ON FUNCTION record_outcome(uuid, bigint, text, text) IS
  'Whether the original executor''s outcome (Succeeded, Failed, Unknown) was recorded.';
