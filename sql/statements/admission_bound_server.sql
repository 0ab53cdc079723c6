-- SPDX-License-Identifier: Apache-2.0
-- What the server itself says to the bound of admissions. Its transaction_timeout (ms) is null
-- where the server has none, or where a setting of the daemon's own role or database hides it.
SELECT
  current_setting('server_version_num')::int AS server_version_num,
  (SELECT setting FROM pg_settings
   WHERE name = 'transaction_timeout'
     AND source IN ('default', 'environment variable', 'configuration file', 'command line'))
    AS transaction_timeout,
  current_setting('synchronous_standby_names') AS synchronous_standby_names
