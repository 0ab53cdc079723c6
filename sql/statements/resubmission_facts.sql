-- SPDX-License-Identifier: Apache-2.0
-- What creating again needs of the database: facts for the check at start, as recovery sees them.
--   $1 the eligibility function's name, each part quoted
WITH function AS (
  SELECT p.* FROM pg_proc AS p WHERE p.oid = to_regprocedure($1::text || '(uuid)')
)
SELECT
  EXISTS (SELECT FROM function) AS found,
  coalesce((SELECT has_function_privilege(oid, 'EXECUTE') FROM function), false) AS may_execute,
  -- As OUT parameters or a table's columns, or as a composite type.
  coalesce((SELECT CASE
    WHEN proargmodes IS NOT NULL THEN (
      SELECT array_agg(format_type(type, NULL) ORDER BY place)
      FROM unnest(proallargtypes, proargmodes) WITH ORDINALITY AS a (type, mode, place)
      WHERE mode IN ('o', 'b', 't'))
    ELSE (
      SELECT array_agg(format_type(atttypid, NULL) ORDER BY attnum)
      FROM pg_type JOIN pg_attribute ON attrelid = typrelid AND attnum > 0 AND NOT attisdropped
      WHERE pg_type.oid = prorettype)
    END FROM function) = ARRAY['text', 'text', 'text'], false) AS returns_decision,
  coalesce((
    SELECT bool_and(tgenabled = 'A') FROM pg_trigger
    WHERE tgrelid = to_regclass('recovery_evidence') AND tgname = 'resubmission_trips'), false)
    AS trips,
  coalesce((SELECT bool_and(enabled) FROM resubmission_switch), false) AS enabled,
  (SELECT max(reason) FROM resubmission_switch) AS why
