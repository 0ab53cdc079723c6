-- SPDX-License-Identifier: Apache-2.0
-- Whether the caller may send a create request of this operation now: asked immediately before each
-- send. True only before lease_until and before submit_by by the database's clock, at this version
-- and under this token. Without a token only an Admitted operation (the original handler), with one
-- Admitted or Unknown. False for whatever is unknown or null.
--
-- Two comparisons and not least(): least() would ignore a null.
CREATE OR REPLACE FUNCTION may_submit(
  operation_id uuid, owner_version bigint, owner_token uuid DEFAULT NULL)
RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
  SELECT EXISTS (
    SELECT FROM operations AS o
    WHERE o.operation_id = may_submit.operation_id
      AND o.owner_version = may_submit.owner_version
      AND o.owner_token IS NOT DISTINCT FROM may_submit.owner_token
      AND clock_timestamp() < o.lease_until
      AND clock_timestamp() < o.submit_by
      AND CASE o.status
        WHEN 'Admitted' THEN true
        WHEN 'Unknown' THEN may_submit.owner_token IS NOT NULL
        ELSE false END)
$function$;
REVOKE ALL ON FUNCTION may_submit(uuid, bigint, uuid) FROM PUBLIC;
-- Recovery asks with its token before it creates again (design section 6).
GRANT EXECUTE ON FUNCTION may_submit(uuid, bigint, uuid)
  TO reconciled_admission, reconciled_recovery;
COMMENT ON FUNCTION may_submit(uuid, bigint, uuid) IS
  'Whether this owner may send a create request of the operation now.';
