-- SPDX-License-Identifier: Apache-2.0
-- The triggers that the mark stands on, and how each fires: always, not always, disabled, on other
-- columns than the sweep reads, or missing; with the arguments that name those columns, null where
-- there are none to name.
-- Behind a view it is the service's own table that must have it; a partition has its own as well.
WITH RECURSIVE relation AS (
  SELECT to_regclass('grant_consumptions')::oid AS id,
    'retain_until'::name AS retain_until, 'operation_id'::name AS operation_id
  UNION
  SELECT below.*
  FROM relation CROSS JOIN LATERAL (
    -- What a view reads, through its rewrite rule, and which of its columns the two are there. No
    -- catalogue says the latter; the rule's own target list does. An expression is no column.
    SELECT d.refobjid, origin.retain_until, origin.operation_id
    FROM pg_rewrite AS w
    JOIN pg_depend AS d
      ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
      AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> w.ev_class
    CROSS JOIN LATERAL (
      SELECT
        (max(theirs.attname::text) FILTER (WHERE mine.attname = relation.retain_until))::name
          AS retain_until,
        (max(theirs.attname::text) FILTER (WHERE mine.attname = relation.operation_id))::name
          AS operation_id
      FROM (
        -- By position: a renamed column keeps its old name here. A subquery has a list of its own;
        -- where the two disagree, neither is believed.
        SELECT target[1]::int AS position, min(target[3])::int AS origin
        FROM regexp_matches(
          w.ev_action::text,
          ':resno (\d+) :resname (?:\\.|\S)+ :ressortgroupref \d+ '
          ':resorigtbl (\d+) :resorigcol (\d+)', 'g') AS target
        GROUP BY target[1]
        HAVING count(DISTINCT target[2:3]) = 1 AND min(target[2]) = d.refobjid::text
      ) AS shown
      JOIN pg_attribute AS mine ON (mine.attrelid, mine.attnum) = (w.ev_class, shown.position)
      JOIN pg_attribute AS theirs ON (theirs.attrelid, theirs.attnum) = (d.refobjid, shown.origin)
    ) AS origin
    WHERE w.ev_class = relation.id
    UNION ALL
    SELECT inhrelid, relation.retain_until, relation.operation_id
    FROM pg_inherits WHERE inhparent = relation.id
  ) AS below
), named AS (
  -- As pg_trigger has them, each ended by a zero byte; without any the function reads the
  -- contract's own names.
  SELECT id, retain_until, operation_id,
    convert_to(retain_until, getdatabaseencoding()) || '\x00'::bytea AS one,
    convert_to(operation_id, getdatabaseencoding()) || '\x00'::bytea AS two
  FROM relation
), wanted AS (
  -- tgtype: AFTER INSERT, BEFORE UPDATE OR DELETE for each row; BEFORE TRUNCATE.
  SELECT c.oid,
    CASE WHEN c.oid IS NULL THEN format('%I.grant_consumptions', current_schema())
      ELSE format('%I.%I', c.relnamespace::regnamespace, c.relname) END AS table_name,
    'grant_consumptions_above_mark' AS trigger_name, 'refuse_claim_below_mark()' AS function,
    5 AS type,
    -- Without the operation's column every row counts as a claim, which is the safe side.
    ARRAY[one || two, one,
          CASE WHEN (retain_until, operation_id) = ('retain_until', 'operation_id')
            THEN ''::bytea END] AS arguments,
    format('%L, %L', retain_until, operation_id) AS columns,
    retain_until IS NOT NULL AND operation_id IS NOT NULL AS has_columns
  FROM named LEFT JOIN pg_class AS c ON c.oid = named.id
  WHERE c.relkind IS DISTINCT FROM 'v'
  UNION ALL
  SELECT to_regclass('cleanup_mark'), format('%I.cleanup_mark', current_schema()), mine.*,
    ARRAY[''::bytea], NULL, false
  FROM (VALUES ('cleanup_mark_never_falls', 'refuse_lower_mark()', 27),
               ('cleanup_mark_stays', 'refuse_lower_mark()', 34)) AS mine
)
SELECT table_name, coalesce(quote_ident(installed.tgname), wanted.trigger_name) AS trigger_name,
  coalesce(installed.firing, 'missing') AS firing,
  CASE WHEN has_columns THEN columns END AS arguments
FROM wanted
LEFT JOIN LATERAL (
  SELECT t.tgname,
    CASE WHEN NOT fits THEN 'other columns' WHEN t.tgenabled = 'A' THEN 'always'
      WHEN t.tgenabled = 'D' THEN 'disabled' ELSE 'not always' END AS firing
  FROM pg_trigger AS t
  CROSS JOIN coalesce(t.tgargs = ANY (wanted.arguments), false) AS fits
  -- With a condition, or for some columns only, it would let rows pass.
  WHERE t.tgrelid = wanted.oid AND t.tgfoid = to_regprocedure(wanted.function)
    AND t.tgtype = wanted.type AND t.tgqual IS NULL AND t.tgattr::text = ''
  ORDER BY fits DESC, t.tgenabled = 'A' DESC, t.tgenabled <> 'D' DESC, t.tgname
  LIMIT 1
) AS installed ON true
ORDER BY table_name, trigger_name
