-- SPDX-License-Identifier: Apache-2.0
-- Every login role that may admit or insert consumption rows, inheriting or not, through a function
-- or directly, with its transaction_timeout as written at each place where PostgreSQL looks for it,
-- the most specific first; and every superuser. Readable by every role.
WITH RECURSIVE relation AS (
  SELECT to_regclass('grant_consumptions')::oid AS id
  UNION
  SELECT below.id
  FROM relation CROSS JOIN LATERAL (
    SELECT d.refobjid AS id
    FROM pg_rewrite AS w
    JOIN pg_depend AS d
      ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
      AND d.refclassid = 'pg_class'::regclass
    WHERE w.ev_class = relation.id
    UNION ALL
    SELECT inhrelid FROM pg_inherits WHERE inhparent = relation.id
  ) AS below
), able AS (
  SELECT a.oid FROM pg_roles AS a
  WHERE EXISTS (
      SELECT FROM relation WHERE has_any_column_privilege(a.oid, relation.id, 'INSERT'))
    OR EXISTS (
      SELECT FROM pg_proc AS p
      WHERE p.pronamespace = current_schema()::regnamespace
        AND p.proname IN ('admit_token_grant', 'admit_row_grant')
        AND has_function_privilege(a.oid, p.oid, 'EXECUTE'))
), written AS (
  SELECT s.setdatabase, s.setrole,
    substring(item FROM '^transaction_timeout=(.*)$') AS value
  FROM pg_db_role_setting AS s CROSS JOIN unnest(s.setconfig) AS item
  WHERE item LIKE 'transaction\_timeout=%'
)
SELECT r.rolname::text AS role, r.rolsuper AS is_superuser,
  (SELECT value FROM written WHERE (setdatabase, setrole) = (d.oid, r.oid)) AS in_database,
  (SELECT value FROM written WHERE (setdatabase, setrole) = (0, r.oid)) AS of_role,
  (SELECT value FROM written WHERE (setdatabase, setrole) = (d.oid, 0)) AS of_database,
  (SELECT value FROM written WHERE (setdatabase, setrole) = (0, 0)) AS of_all
FROM pg_roles AS r JOIN pg_database AS d ON d.datname = current_database()
-- MEMBER: also a member that does not inherit can SET ROLE.
WHERE r.rolcanlogin
  AND (r.rolsuper OR EXISTS (SELECT FROM able WHERE pg_has_role(r.oid, able.oid, 'MEMBER')))
ORDER BY r.rolname
