-- SPDX-License-Identifier: Apache-2.0
-- Installs the SQL contract, as a superuser:
--
--   psql -d DATABASE -f sql/install.sql [-v schema=NAME]      (schema reconciled without -v)
--
-- One transaction: all of it or nothing. A second run changes nothing, and keeps contract_timings
-- as somebody has set them. Concurrent runs in several databases of one cluster are fine.
\set ON_ERROR_STOP on
\set QUIET on
\if :{?schema}
\else
  \set schema reconciled
\endif

BEGIN;
-- "already exists, skipping" is what a second run is for, and no news.
SET LOCAL client_min_messages = warning;
-- Rather fail and be run again than let the service's statements queue up behind this one.
SET LOCAL lock_timeout = '10s';

-- Two runs in one database take turns: IF NOT EXISTS alone loses the race to create a schema.
DO $$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('reconciled install', 0)); END $$;

\ir roles.sql

CREATE SCHEMA IF NOT EXISTS :"schema" AUTHORIZATION reconciled_owner;
-- A schema that was there before, public for one, belongs to somebody else.
GRANT USAGE, CREATE ON SCHEMA :"schema" TO reconciled_owner;

-- From here on everything is created by its owner, so nothing belongs to the superuser by mistake.
SET LOCAL ROLE reconciled_owner;
SET LOCAL search_path = :"schema", pg_temp;

\ir version.sql
\ir timings.sql
\ir operations.sql
\ir evidence.sql
\ir consumptions.sql
\ir mark.sql
\ir timings_guard.sql
\ir idempotency.sql
\ir resubmission.sql
\ir late_truth.sql
\ir policies.sql

\ir functions/admission_parts.sql
\ir functions/admit_token_grant.sql
\ir functions/admit_row_grant.sql
\ir functions/revoke.sql
\ir functions/may_submit.sql
\ir functions/record_outcome.sql
\ir functions/operation_status.sql
\ir functions/claim_idempotency_key.sql
\ir functions/hold_idempotency_key.sql

RESET ROLE;
\ir grants.sql

COMMIT;
