-- SPDX-License-Identifier: Apache-2.0
-- What adopt.sql does to the service's own table.
DO $$
DECLARE
  base regclass := current_setting('adopt.base')::oid::regclass;
  base_name name := (SELECT relname FROM pg_class WHERE oid = base);
  own_rules boolean := (SELECT relrowsecurity FROM pg_class WHERE oid = base);
  operation_id text := current_setting('adopt.operation_id');
  status text := current_setting('adopt.status');
  token text := current_setting('adopt.owner_token');
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = base) NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '% is not a table', base;
  END IF;
  -- An id that is unique for one tenant only would let one record change two operations.
  IF NOT EXISTS (
    SELECT FROM pg_index AS i
    JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = base AND i.indisunique AND i.indisvalid AND i.indnkeyatts = 1
      AND i.indpred IS NULL AND a.attname = operation_id) THEN
    RAISE EXCEPTION '% has no unique index on % alone', base, quote_ident(operation_id)
    USING HINT = 'Is the id unique per tenant only? README, "A service adopts the contract", says'
      ' what to do.';
  END IF;
  EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS %I uuid', base, token);

  -- The statuses in the contract's order, or the planner could not use the index for takeover.
  EXECUTE format(
    $sql$CREATE INDEX IF NOT EXISTS %I ON %s (%I) WHERE %I IN ('Admitted', 'Unknown')$sql$,
    left(base_name, 40) || '_unresolved_by_lease', base, current_setting('adopt.lease_until'),
    status);
  EXECUTE format(
    $sql$CREATE INDEX IF NOT EXISTS %I ON %s (%I) WHERE %I = 'NeedsReconciliation'$sql$,
    left(base_name, 40) || '_needing_a_person', base, current_setting('adopt.created_at'), status);

  IF NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = base AND polname = 'reconciled_sees_all') THEN
    -- Without row security so far, nobody may lose sight of a row now; with it, the service's own
    -- rules stay as they are and ours see past them.
    EXECUTE format(
      'CREATE POLICY reconciled_sees_all ON %s AS PERMISSIVE FOR ALL TO %s'
      ' USING (true) WITH CHECK (true)', base,
      CASE WHEN own_rules
        THEN 'reconciled_owner, reconciled_recovery, reconciled_operator, reconciled_reader'
        ELSE 'PUBLIC' END);
    EXECUTE format(
      $sql$CREATE POLICY recovery_leaves_only_unresolved ON %s
        AS RESTRICTIVE FOR UPDATE TO reconciled_recovery
        USING (CASE %I WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END)
        WITH CHECK (%I IN ('Admitted', 'Unknown', 'Succeeded', 'NeedsReconciliation'))$sql$,
      base, status, status);
  END IF;
  IF NOT EXISTS (
    SELECT FROM pg_policy WHERE polrelid = base AND polname = 'operator_leaves_only_open') THEN
    EXECUTE format(
      $sql$CREATE POLICY operator_leaves_only_open ON %s
        AS RESTRICTIVE FOR UPDATE TO reconciled_operator
        USING (CASE %I WHEN 'NeedsReconciliation' THEN true
               WHEN 'Unknown' THEN %I IS NULL OR %I <= clock_timestamp()
               ELSE false END)
        WITH CHECK (%I IN ('Unknown', 'Succeeded', 'Failed'))$sql$,
      base, status, token, current_setting('adopt.lease_until'), status);
  END IF;
  IF NOT own_rules THEN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', base);
  END IF;

  -- The installed table makes room for the view; one with operations in it is in use.
  IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('operations')) = 'r' THEN
    IF EXISTS (SELECT FROM operations) THEN
      RAISE EXCEPTION 'the installed table % holds operations', 'operations'::regclass
        USING HINT = 'Move them into the service''s table first.';
    END IF;
    DROP TABLE operations;
  END IF;
END
$$;
