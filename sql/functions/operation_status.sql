-- SPDX-License-Identifier: Apache-2.0
-- What became of an operation, for the caller who asked for it: no row for another caller, as for
-- an operation that does not exist. It does not ask for a grant, so it answers after the grant has
-- expired.
CREATE OR REPLACE FUNCTION operation_status(operation_id uuid, caller_id text)
RETURNS TABLE (status text, provider_reference text, created_at timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
  SELECT o.status, o.provider_reference, o.created_at
  FROM operations AS o
  WHERE o.operation_id = operation_status.operation_id
    AND o.caller_id = operation_status.caller_id
$function$;
REVOKE ALL ON FUNCTION operation_status(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operation_status(uuid, text) TO reconciled_admission;
COMMENT ON FUNCTION operation_status(uuid, text) IS
  'Status, reference and creation time of the caller''s own operation.';
