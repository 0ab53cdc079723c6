-- SPDX-License-Identifier: Apache-2.0
-- The owner and the duty roles. Nobody logs in as one of them: they are granted to login roles, and
-- each duty of the daemon does SET ROLE to its own, so that a mistake in one duty has that duty's
-- rights only.
--
--   reconciled_owner       owns the objects; row security does not bind it
--   reconciled_admission   the service: admits, submits, records its own outcome
--   reconciled_revocation  revokes grants
--   reconciled_recovery    the pass: takes over and records
--   reconciled_retention   the sweep: deletes what may go
--   reconciled_operator    a person's verbs
--   reconciled_reader      sees everything and changes nothing; enough for a dry run
DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY[
    'reconciled_owner', 'reconciled_admission', 'reconciled_revocation', 'reconciled_recovery',
    'reconciled_retention', 'reconciled_operator', 'reconciled_reader']
  LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role_name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        -- Roles are the cluster's: an install in another database committed it in the meantime.
        NULL;
      END;
    END IF;
  END LOOP;
END
$$;
