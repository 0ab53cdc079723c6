-- SPDX-License-Identifier: Apache-2.0
-- Whether the database itself holds recovery to its limits: facts for the check at start, readable
-- by every role. A service's own table may stand behind a view, through which its policies count
-- only if the view acts as its caller.
WITH RECURSIVE relation AS (
  SELECT to_regclass('operations')::oid AS id
  UNION
  -- What a view reads, through its rewrite rule.
  SELECT d.refobjid
  FROM relation
  JOIN pg_rewrite AS w ON w.ev_class = relation.id
  JOIN pg_depend AS d
    ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
    AND d.refclassid = 'pg_class'::regclass
), part AS (
  SELECT c.oid, c.relkind = 'v' AS is_view, c.relrowsecurity, c.relowner, c.reloptions
  FROM relation JOIN pg_class AS c ON c.oid = relation.id
)
SELECT
  coalesce(bool_or(NOT is_view), false) AS operations_found,
  coalesce(bool_and(EXISTS (
    SELECT FROM pg_options_to_table(reloptions)
    WHERE option_name = 'security_invoker' AND option_value::boolean))
    FILTER (WHERE is_view), true) AS views_act_as_caller,
  coalesce(bool_and(relrowsecurity) FILTER (WHERE NOT is_view), false) AS row_security_on,
  coalesce(bool_and(EXISTS (
    SELECT FROM pg_policy AS p
    WHERE p.polrelid = part.oid AND NOT p.polpermissive AND p.polcmd IN ('w', '*')
      AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL
      AND to_regrole('reconciled_recovery')::oid = ANY (p.polroles)))
    FILTER (WHERE NOT is_view), false) AS policies_present,
  -- Policies bind neither a superuser, nor who may bypass them, nor the table's owner.
  coalesce(bool_and(EXISTS (
    SELECT FROM pg_roles AS r
    WHERE r.rolname = 'reconciled_recovery' AND NOT r.rolsuper AND NOT r.rolbypassrls
      AND NOT pg_has_role(r.oid, part.relowner, 'USAGE')))
    FILTER (WHERE NOT is_view), false) AS recovery_bound
FROM part
