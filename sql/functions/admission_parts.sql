-- SPDX-License-Identifier: Apache-2.0
-- Parts that the service's functions share. Nobody but their owner may call them.

-- Raises synchronous_commit from off or local to on, for the transaction that the caller is in. An
-- answer that a crash of the server takes back would be a grant that can be spent twice. Stronger
-- settings stay. Not from inside an exception block: its rollback would take the setting with it.
CREATE OR REPLACE FUNCTION commit_durably() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
BEGIN
  IF current_setting('synchronous_commit') IN ('off', 'local') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END
$function$;
REVOKE ALL ON FUNCTION commit_durably() FROM PUBLIC;

-- What admission asks of its transaction. Raises
--   RC002  at an isolation level other than Read Committed: the second read would not see who
--          has the grant
--   RC004  if the transaction began more than store_call_timeout before the statement: the caller
--          holds its admission open, and may have given it up already
CREATE OR REPLACE FUNCTION guard_admission() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
DECLARE
  longest interval;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a grant cannot be admitted at isolation level %',
      current_setting('transaction_isolation')
    USING ERRCODE = 'RC002', HINT = 'Call it in autocommit, or in a Read Committed transaction.';
  END IF;
  SELECT store_call_timeout INTO STRICT longest FROM contract_timings;
  IF statement_timestamp() - transaction_timestamp() > longest THEN
    RAISE EXCEPTION 'a grant cannot be admitted in a transaction that began % before the statement'
      ' (store_call_timeout is %)', statement_timestamp() - transaction_timestamp(), longest
    USING ERRCODE = 'RC004', HINT = 'Call it in autocommit.';
  END IF;
  PERFORM commit_durably();
END
$function$;
REVOKE ALL ON FUNCTION guard_admission() FROM PUBLIC;

-- Lease and window from now on, for an operation that had to wait for a key of its own table after
-- its times were chosen: a lock wait eats neither.
CREATE OR REPLACE FUNCTION restart_admitted(operation_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
#variable_conflict use_column
DECLARE
  since timestamptz := clock_timestamp();
BEGIN
  UPDATE operations AS o
  SET lease_until = since + t.execution_lease,
      submit_by = since + t.submission_window,
      created_at = since
  FROM contract_timings AS t
  WHERE o.operation_id = restart_admitted.operation_id;
END
$function$;
REVOKE ALL ON FUNCTION restart_admitted(uuid) FROM PUBLIC;

-- Why a claim got nothing, in one snapshot. One row:
--   AlreadyAdmittedForThisOperation  the grant was spent for this very operation: id, grant,
--                                    caller, account, amount and currency are all the same
--   Refused                          with details-differ, operation-id-used, consumed or revoked
-- No row if neither the operation id, the grant nor the consumption row is taken.
CREATE OR REPLACE FUNCTION read_back_admission(
  issuer text, grant_id text, operation_id uuid, caller_id text, account_id text, amount numeric,
  currency text)
RETURNS TABLE (outcome text, status text, provider_reference text, detail text)
LANGUAGE sql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
  WITH asked AS (
    SELECT read_back_admission.issuer, read_back_admission.grant_id,
      read_back_admission.operation_id, read_back_admission.caller_id,
      read_back_admission.account_id, read_back_admission.amount, read_back_admission.currency
  ), seen AS (
    SELECT o.status, o.provider_reference, o.operation_id IS NOT NULL AS id_taken,
      (o.issuer, o.grant_id) = (asked.issuer, asked.grant_id) AS same_grant,
      (o.caller_id, o.account_id, o.amount, o.currency)
        = (asked.caller_id, asked.account_id, asked.amount, asked.currency) AS same_details,
      CASE
        WHEN c.issuer IS NOT NULL AND c.operation_id IS NULL THEN 'revoked'
        WHEN g.revoked_at IS NOT NULL THEN 'revoked'
        WHEN c.issuer IS NOT NULL OR g.consumed_at IS NOT NULL THEN 'consumed'
        WHEN EXISTS (
          SELECT FROM operations AS other
          WHERE other.issuer = asked.issuer AND other.grant_id = asked.grant_id) THEN 'consumed'
      END AS grant_is
    FROM asked
    LEFT JOIN operations AS o ON o.operation_id = asked.operation_id
    LEFT JOIN grant_consumptions AS c
      ON c.issuer = asked.issuer AND c.grant_id = asked.grant_id
    LEFT JOIN grants AS g ON g.issuer = asked.issuer AND g.grant_id = asked.grant_id
  )
  SELECT
    CASE WHEN same_grant AND same_details THEN 'AlreadyAdmittedForThisOperation'
      ELSE 'Refused' END,
    CASE WHEN same_grant AND same_details THEN seen.status END,
    CASE WHEN same_grant AND same_details THEN seen.provider_reference END,
    CASE
      WHEN same_grant AND same_details THEN NULL
      WHEN same_grant THEN 'details-differ'
      WHEN id_taken THEN 'operation-id-used'
      ELSE grant_is
    END
  FROM seen WHERE id_taken OR grant_is IS NOT NULL
$function$;
REVOKE ALL ON FUNCTION read_back_admission(text, text, uuid, text, text, numeric, text) FROM PUBLIC;
