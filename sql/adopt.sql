-- SPDX-License-Identifier: Apache-2.0
-- Puts a service's own table behind the contract, as a superuser and after install.sql:
--
--   psql -d DATABASE -v base=billing.credits -v view=credits_view.sql -f sql/adopt.sql
--
-- base is the table; view a file with a statement of the service's own, which gives the table's
-- columns the contract's names (search_path is the contract's schema, so name the table in full):
--
--   CREATE OR REPLACE VIEW operations WITH (security_invoker = true) AS
--   SELECT credit_id AS operation_id, state AS status, version AS owner_version, ... FROM
--   billing.credits;
--
-- Where the table's own names differ from the contract's, say so:
--   -v operation_id= -v status= -v owner_version= -v owner_token= -v lease_until= -v created_at=
--   -v provider_reference=            the column of base that has this part
--   -v schema=                        the contract's schema, reconciled without it
--   -v consumptions=billing.spent     a consumption table of the service's own: it gets the mark's
--     -v retain_until= -v consumption_operation_id=   trigger, and its columns by these names
--     -v consumptions_view=FILE       creates the view grant_consumptions over it, for the sweep,
--                                     the functions and the guard of contract_timings
--
-- It adds the owner_token column if there is none, two partial indexes, the policies and the column
-- grants; the installed table of the same name must be empty and goes. One transaction: all of it
-- or nothing; a second run changes nothing. On a large table create the indexes beforehand, with
-- CONCURRENTLY and the names TABLE_unresolved_by_lease and TABLE_needing_a_person.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?schema}
\else
  \set schema reconciled
\endif
\if :{?operation_id}
\else
  \set operation_id operation_id
\endif
\if :{?status}
\else
  \set status status
\endif
\if :{?owner_version}
\else
  \set owner_version owner_version
\endif
\if :{?owner_token}
\else
  \set owner_token owner_token
\endif
\if :{?lease_until}
\else
  \set lease_until lease_until
\endif
\if :{?created_at}
\else
  \set created_at created_at
\endif
\if :{?provider_reference}
\else
  \set provider_reference provider_reference
\endif

BEGIN;
SET LOCAL client_min_messages = warning;
-- Rather fail and be run again than let the service's statements queue up behind this one.
SET LOCAL lock_timeout = '10s';
DO $$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('reconciled install', 0)); END $$;

-- psql does not reach into a DO block; settings of this transaction do.
SELECT set_config('adopt.' || name, value, true) FROM (VALUES
  ('base', :'base'::regclass::oid::text), ('operation_id', :'operation_id'), ('status', :'status'),
  ('owner_version', :'owner_version'), ('owner_token', :'owner_token'),
  ('lease_until', :'lease_until'), ('created_at', :'created_at'),
  ('provider_reference', :'provider_reference')) AS variable (name, value)
\g /dev/null
SET LOCAL search_path = :"schema", pg_temp;

\ir adopt/base.sql
\i :view
\ir adopt/operations_view.sql

\if :{?consumptions}
  \ir adopt/consumptions.sql
\endif

-- The rights on the views are those on the tables that they stand for.
\ir grants.sql
COMMIT;
