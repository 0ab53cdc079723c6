-- SPDX-License-Identifier: Apache-2.0
-- Whom the session talks to, and whether it may look into the schema $1 (null: there is none).
-- Tables in a schema without USAGE look as if they were not there.
-- A backend_pid that differs from libpq's tells of a pooler.
SELECT
  pg_backend_pid() AS backend_pid,
  current_setting('server_version_num')::int AS server_version_num,
  pg_is_in_recovery() AS in_recovery,
  current_setting('transaction_read_only')::boolean AS read_only,
  current_user::text AS acts_as,
  (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us,
  (SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = $1::text)
    AS schema_visible
