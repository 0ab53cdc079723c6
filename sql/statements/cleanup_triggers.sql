-- SPDX-License-Identifier: Apache-2.0
-- The triggers that the mark stands on, and how each fires: always, not always, disabled or
-- missing.
-- Behind a view it is the service's own table that must have it; a partition has its own as well.
WITH RECURSIVE relation AS (
  SELECT to_regclass('grant_consumptions')::oid AS id
  UNION
  SELECT below.id
  FROM relation CROSS JOIN LATERAL (
    -- What a view reads, through its rewrite rule.
    SELECT d.refobjid AS id
    FROM pg_rewrite AS w
    JOIN pg_depend AS d
      ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
      AND d.refclassid = 'pg_class'::regclass
    WHERE w.ev_class = relation.id
    UNION ALL
    SELECT inhrelid FROM pg_inherits WHERE inhparent = relation.id
  ) AS below
), wanted AS (
  -- tgtype: AFTER INSERT, BEFORE UPDATE OR DELETE for each row; BEFORE TRUNCATE.
  SELECT c.oid,
    CASE WHEN c.oid IS NULL THEN format('%I.grant_consumptions', current_schema())
      ELSE format('%I.%I', c.relnamespace::regnamespace, c.relname) END AS table_name,
    'grant_consumptions_above_mark' AS trigger_name, 'refuse_claim_below_mark()' AS function,
    5 AS type
  FROM relation LEFT JOIN pg_class AS c ON c.oid = relation.id
  WHERE c.relkind IS DISTINCT FROM 'v'
  UNION ALL
  SELECT to_regclass('cleanup_mark'), format('%I.cleanup_mark', current_schema()), mine.*
  FROM (VALUES ('cleanup_mark_never_falls', 'refuse_lower_mark()', 27),
               ('cleanup_mark_stays', 'refuse_lower_mark()', 34)) AS mine
)
SELECT table_name, coalesce(quote_ident(installed.tgname), wanted.trigger_name) AS trigger_name,
  coalesce(installed.firing, 'missing') AS firing
FROM wanted
LEFT JOIN LATERAL (
  SELECT t.tgname,
    CASE t.tgenabled WHEN 'A' THEN 'always' WHEN 'D' THEN 'disabled' ELSE 'not always' END AS firing
  FROM pg_trigger AS t
  -- With a condition, or for some columns only, it would let rows pass.
  WHERE t.tgrelid = wanted.oid AND t.tgfoid = to_regprocedure(wanted.function)
    AND t.tgtype = wanted.type AND t.tgqual IS NULL AND t.tgattr::text = ''
  ORDER BY t.tgenabled = 'A' DESC, t.tgenabled <> 'D' DESC, t.tgname
  LIMIT 1
) AS installed ON true
ORDER BY table_name, trigger_name
