-- SPDX-License-Identifier: Apache-2.0
-- Which server and database a sweep would delete on, and what time it is there.
SELECT
  (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us,
  pg_is_in_recovery() AS in_recovery,
  (SELECT system_identifier::text FROM pg_control_system()) AS system_identifier,
  (SELECT datname || ' (oid ' || oid || ')' FROM pg_database WHERE datname = current_database())
    AS database,
  quote_ident(current_schema()) AS schema
