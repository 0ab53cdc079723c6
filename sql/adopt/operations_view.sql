-- SPDX-License-Identifier: Apache-2.0
-- What adopt.sql asks of the view operations, and the rights that its callers need on the table:
-- a view with security_invoker checks them for whoever calls.
DO $$
DECLARE
  base regclass := current_setting('adopt.base')::oid::regclass;
  adopted regclass := to_regclass('operations');
  wrong text;
  seen text;
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = adopted) IS DISTINCT FROM 'v' THEN
    RAISE EXCEPTION 'the file named by -v view did not create a view operations in schema %',
      current_schema();
  END IF;
  IF NOT EXISTS (
    SELECT FROM pg_class AS c, pg_options_to_table(c.reloptions) AS o
    WHERE c.oid = adopted AND o.option_name = 'security_invoker' AND o.option_value::boolean) THEN
    RAISE EXCEPTION 'the view operations acts as its owner, so the policies do not hold through it'
      USING HINT = 'Create it WITH (security_invoker = true).';
  END IF;

  SELECT string_agg(format('%s (%s)', wanted.name, wanted.types), ', ') INTO wrong
  FROM (VALUES
    ('operation_id', 'uuid'), ('issuer', 'text, varchar'), ('grant_id', 'text, varchar'),
    ('caller_id', 'text, varchar'), ('account_id', 'text, varchar'), ('amount', 'numeric'),
    ('currency', 'text, varchar'), ('status', 'text, varchar'),
    ('owner_version', 'int8, int4'), ('owner_token', 'uuid'), ('lease_until', 'timestamptz'),
    ('submit_by', 'timestamptz'), ('created_at', 'timestamptz'), ('provider_context', 'jsonb'),
    ('provider_reference', 'text, varchar')) AS wanted (name, types)
  WHERE NOT EXISTS (
    SELECT FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
    WHERE a.attrelid = adopted AND a.attname = wanted.name
      AND t.typname = ANY (string_to_array(wanted.types, ', ')));
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'the view operations lacks columns, or has them with another type: %', wrong;
  END IF;
  -- Recovery writes these: an expression would make the view refuse the write.
  SELECT string_agg(c.column_name, ', ') INTO wrong
  FROM information_schema.columns AS c
  WHERE c.table_schema = current_schema() AND c.table_name = 'operations'
    AND c.column_name IN (
      'status', 'owner_version', 'owner_token', 'lease_until', 'provider_reference')
    AND c.is_updatable <> 'YES';
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION 'these columns of the view operations cannot be updated: %', wrong
      USING HINT = 'Each must be a column of the table itself, in a view over that table alone.';
  END IF;

  -- What the view reads of the table, and nothing beside it.
  SELECT string_agg(DISTINCT quote_ident(a.attname), ', ') INTO seen
  FROM pg_rewrite AS w
  JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
  JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
  WHERE w.ev_class = adopted AND d.refclassid = 'pg_class'::regclass AND d.refobjid = base
    AND a.attnum > 0;
  IF seen IS NULL THEN
    RAISE EXCEPTION 'the view operations does not read %', base;
  END IF;
  EXECUTE format('GRANT SELECT (%s) ON %s TO reconciled_recovery, reconciled_operator,'
                 ' reconciled_reader', seen, base);
  -- The functions of the contract act as the owner.
  EXECUTE format('GRANT SELECT (%s), INSERT (%s), UPDATE (%s) ON %s TO reconciled_owner',
                 seen, seen, seen, base);
  EXECUTE format('GRANT UPDATE (%I, %I, %I, %I, %I) ON %s TO reconciled_recovery',
                 current_setting('adopt.status'), current_setting('adopt.owner_version'),
                 current_setting('adopt.owner_token'), current_setting('adopt.lease_until'),
                 current_setting('adopt.provider_reference'), base);
  EXECUTE format('GRANT UPDATE (%I, %I, %I, %I) ON %s TO reconciled_operator',
                 current_setting('adopt.status'), current_setting('adopt.owner_token'),
                 current_setting('adopt.lease_until'),
                 current_setting('adopt.provider_reference'), base);
  IF (SELECT relowner FROM pg_class WHERE oid = adopted) <> 'reconciled_owner'::regrole THEN
    EXECUTE format('ALTER VIEW %s OWNER TO reconciled_owner', adopted);
  END IF;
END
$$;
