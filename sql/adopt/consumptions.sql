-- SPDX-License-Identifier: Apache-2.0
-- A consumption table of the service's own: the mark's trigger on it, and with a view over it what
-- the sweep needs.
\if :{?retain_until}
\else
  \set retain_until retain_until
\endif
\if :{?consumption_operation_id}
\else
  \set consumption_operation_id operation_id
\endif
SELECT set_config('adopt.' || name, value, true) FROM (VALUES
  ('consumptions', :'consumptions'::regclass::oid::text), ('retain_until', :'retain_until'),
  ('consumption_operation_id', :'consumption_operation_id')) AS variable (name, value)
\g /dev/null

DO $$
DECLARE
  base regclass := current_setting('adopt.consumptions')::oid::regclass;
  base_name name := (SELECT relname FROM pg_class WHERE oid = base);
  retention text := current_setting('adopt.retain_until');
  operation_id text := current_setting('adopt.consumption_operation_id');
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = base AND attname = retention
      AND atttypid = 'timestamptz'::regtype) OR NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = base AND attname = operation_id) THEN
    RAISE EXCEPTION '% must have columns % (timestamptz) and %', base, quote_ident(retention),
      quote_ident(operation_id);
  END IF;
  IF NOT EXISTS (
    SELECT FROM pg_trigger
    WHERE tgrelid = base AND tgname = 'grant_consumptions_above_mark') THEN
    EXECUTE format(
      'CREATE TRIGGER grant_consumptions_above_mark AFTER INSERT ON %s FOR EACH ROW'
      ' EXECUTE FUNCTION refuse_claim_below_mark(%L, %L)', base, retention, operation_id);
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER grant_consumptions_above_mark', base);
  END IF;
  EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %s (%I)',
                 left(base_name, 40) || '_by_retention', base, retention);
END
$$;

\if :{?consumptions_view}
DO $$
DECLARE
  base regclass := current_setting('adopt.consumptions')::oid::regclass;
  own_rules boolean := (SELECT relrowsecurity FROM pg_class WHERE oid = base);
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = base AND polname = 'retention_updates_nothing') THEN
    EXECUTE format(
      'CREATE POLICY reconciled_sees_all ON %s AS PERMISSIVE FOR ALL TO %s'
      ' USING (true) WITH CHECK (true)', base,
      CASE WHEN own_rules THEN 'reconciled_owner, reconciled_retention, reconciled_reader'
        ELSE 'PUBLIC' END);
    EXECUTE format(
      'CREATE POLICY retention_updates_nothing ON %s AS RESTRICTIVE FOR UPDATE'
      ' TO reconciled_retention USING (true) WITH CHECK (false)', base);
  END IF;
  IF NOT own_rules THEN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', base);
  END IF;
  IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('grant_consumptions')) = 'r' THEN
    IF EXISTS (SELECT FROM grant_consumptions) THEN
      RAISE EXCEPTION 'the installed table % holds rows', 'grant_consumptions'::regclass
        USING HINT = 'Move them into the service''s table first.';
    END IF;
    DROP TABLE grant_consumptions;
  END IF;
END
$$;

\i :consumptions_view

DO $$
DECLARE
  base regclass := current_setting('adopt.consumptions')::oid::regclass;
  adopted regclass := to_regclass('grant_consumptions');
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_class AS c, pg_options_to_table(c.reloptions) AS o
    WHERE c.oid = adopted AND c.relkind = 'v' AND o.option_name = 'security_invoker'
      AND o.option_value::boolean) THEN
    RAISE EXCEPTION 'the file named by -v consumptions_view did not create a view'
      ' grant_consumptions WITH (security_invoker = true)';
  END IF;
  EXECUTE format('GRANT SELECT ON %s TO reconciled_reader', base);
  EXECUTE format('GRANT SELECT, DELETE, UPDATE (%I) ON %s TO reconciled_retention',
                 current_setting('adopt.retain_until'), base);
  -- UPDATE, because the guard of contract_timings locks the table; nothing updates a row.
  EXECUTE format('GRANT SELECT, INSERT, UPDATE ON %s TO reconciled_owner', base);
  IF (SELECT relowner FROM pg_class WHERE oid = adopted) <> 'reconciled_owner'::regrole THEN
    EXECUTE format('ALTER VIEW %s OWNER TO reconciled_owner', adopted);
  END IF;
END
$$;
\endif
