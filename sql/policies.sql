-- SPDX-License-Identifier: Apache-2.0
-- Row security: what recovery, retention and a person's verbs may do even where their statements
-- were wrong (design section 2, G2 and G3). Not forced on the owner.
--
-- The permissive policies are for PUBLIC, so that enabling row security hides nothing from the
-- service's own roles. The restrictive ones then take away, and only from whom they name.
DO $$
DECLARE
  wanted record;
BEGIN
  FOR wanted IN
    SELECT * FROM (VALUES
      ('operations', 'everybody',
       $p$AS PERMISSIVE FOR ALL TO PUBLIC USING (true) WITH CHECK (true)$p$),
      -- USING: it leaves Admitted and Unknown only. WITH CHECK: it never arrives at Failed.
      -- The policy becomes part of every UPDATE; written with IN it would offer each of them the
      -- index of all unresolved operations where only the primary key is right.
      ('operations', 'recovery_leaves_only_unresolved',
       $p$AS RESTRICTIVE FOR UPDATE TO reconciled_recovery
          USING (CASE status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END)
          WITH CHECK (status IN ('Admitted', 'Unknown', 'Succeeded', 'NeedsReconciliation'))$p$),
      -- A person moves what was left to a person or is still unknown, never what is in flight or
      -- final, and never makes it Admitted again.
      ('operations', 'operator_leaves_only_open',
       $p$AS RESTRICTIVE FOR UPDATE TO reconciled_operator
          USING (CASE status WHEN 'NeedsReconciliation' THEN true
                 WHEN 'Unknown' THEN owner_token IS NULL OR lease_until <= clock_timestamp()
                 ELSE false END)
          WITH CHECK (status IN ('Unknown', 'Succeeded', 'Failed'))$p$),
      ('recovery_evidence', 'everybody',
       $p$AS PERMISSIVE FOR ALL TO PUBLIC USING (true) WITH CHECK (true)$p$),
      -- A person's verbs and the executor sign their own steps; recovery cannot sign for them.
      ('recovery_evidence', 'recovery_signs_its_own_steps',
       $p$AS RESTRICTIVE FOR INSERT TO reconciled_recovery
          WITH CHECK (step IN ('lookup', 'eligibility', 'create', 'handback', 'late')
                      AND decision <> 'Failed')$p$),
      ('recovery_evidence', 'operator_signs_its_own_steps',
       $p$AS RESTRICTIVE FOR INSERT TO reconciled_operator
          WITH CHECK (step IN ('recheck', 'resolution', 'switch'))$p$),
      ('grant_consumptions', 'everybody',
       $p$AS PERMISSIVE FOR ALL TO PUBLIC USING (true) WITH CHECK (true)$p$),
      -- It needs UPDATE to lock rows with SKIP LOCKED, and never updates one.
      ('grant_consumptions', 'retention_updates_nothing',
       $p$AS RESTRICTIVE FOR UPDATE TO reconciled_retention USING (true) WITH CHECK (false)$p$),
      ('idempotency_records', 'everybody',
       $p$AS PERMISSIVE FOR ALL TO PUBLIC USING (true) WITH CHECK (true)$p$),
      ('idempotency_records', 'retention_updates_nothing',
       $p$AS RESTRICTIVE FOR UPDATE TO reconciled_retention USING (true) WITH CHECK (false)$p$)
    ) AS policy (table_name, policy_name, definition)
    JOIN pg_class ON pg_class.oid = table_name::regclass
    -- A table behind a view has got its policies from adopt.sql. Creating one locks the table, so a
    -- second run leaves those alone that are there.
    WHERE relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_policy WHERE polrelid = pg_class.oid AND polname = policy_name)
  LOOP
    EXECUTE format('CREATE POLICY %I ON %I %s',
                   wanted.policy_name, wanted.table_name, wanted.definition);
  END LOOP;

  FOR wanted IN
    SELECT relname FROM pg_class
    WHERE oid IN ('operations'::regclass, 'recovery_evidence'::regclass,
                  'grant_consumptions'::regclass, 'idempotency_records'::regclass)
      AND relkind IN ('r', 'p') AND NOT relrowsecurity
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', wanted.relname);
  END LOOP;
END
$$;
