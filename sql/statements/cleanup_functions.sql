-- SPDX-License-Identifier: Apache-2.0
-- The functions of the array $1 as they are in this schema: the hash of their text, their owner,
-- whether they act as it, and whether they have their own search_path and no other setting.
SELECT
  quote_ident(current_schema()) || '.' || wanted.name AS function,
  p.oid IS NOT NULL AS found,
  encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex') AS sha256,
  p.proowner::regrole::text AS owner,
  coalesce(p.prosecdef, false) AS security_definer,
  coalesce(p.proconfig
           = ARRAY['search_path=' || quote_ident(current_schema()) || ', pg_temp'], false)
    AS own_search_path
FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, position)
LEFT JOIN pg_proc AS p ON p.oid = to_regprocedure(wanted.name || '()')
ORDER BY wanted.position
