#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The exit codes of design section 10, each with a line on stderr that says what to do.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
write_config

# Both ways to start: NAME CODE PATTERN. The daemon must not stay.
refuses() {
  run refused --once
  same "$1: --once ends with $2" "$2" "$status"
  matches "$1: and says why" "$3" "$(cat "$work/refused.log")"
  start_daemon refused
  await_end refused
  same "$1: the daemon ends with $2" "$2" "$status"
  matches "$1: and says why" "$3" "$(cat "$work/refused.log")"
}
with() { # KEY VALUE NAME CODE PATTERN: with one key of the file changed
  local old=${config[$1]:-}
  config[$1]=$2
  write_config
  refuses "$3" "$4" "$5"
  if [[ -n $old ]]; then config[$1]=$old; else unset "config[$1]"; fi
  write_config
}

# 64: usage
for arguments in --nonsense 'surplus' '--once --dry-run' '--output json' '--dry-run --output xml' \
  '--no-lookup' '--config' '--print-config=all'; do
  # shellcheck disable=SC2086 # several arguments
  "$daemon" $arguments >"$work/usage.out" 2>"$work/usage.log"
  same "usage ($arguments): 64" 64 "$?"
  matches "usage ($arguments): says so" "^reconciled: .*--help" "$(tr '\n' ' ' <"$work/usage.log")"
  same "usage ($arguments): nothing on stdout" '' "$(<"$work/usage.out")"
done
for option in --help --version --print-config=defaults; do
  succeeds "$option ends with 0" "$daemon" "$option"
done

# 65: the contract
sql -c 'CREATE DATABASE empty'
with database.uri "$(uri daemon_login "$database_port" empty)" 'no contract' 65 'install.sql'
sql -c 'UPDATE contract_version SET version = 2'
refuses 'a newer contract' 65 'version 2.*version 1'
sql -c 'ALTER TABLE contract_version DROP CONSTRAINT contract_version_version_check' \
  -c 'UPDATE contract_version SET version = 0'
refuses 'an older contract' 65 'version 0.*version 1'
sql -c 'UPDATE contract_version SET version = 1'
sql -c 'ALTER TABLE operations RENAME TO base' -c 'CREATE VIEW operations AS TABLE base' \
  -c 'GRANT SELECT, UPDATE ON operations TO reconciled_recovery'
refuses 'a view without security_invoker' 65 'security_invoker'
sql -c 'ALTER VIEW operations SET (security_invoker = true)'
run view --once
same 'a view with security_invoker serves' 0 "$status"
sql -c 'DROP POLICY recovery_leaves_only_unresolved ON base'
refuses 'a base without the policies' 65 'polic'
sql -c 'DROP VIEW operations' -c 'ALTER TABLE base RENAME TO operations'
refuses 'a table without the policies' 65 'polic'
psql --no-psqlrc -q "$direct" -f "$source_dir/sql/install.sql" -v ON_ERROR_STOP=1
run installed --once
same 'install.sql puts it right' 0 "$status"

# 69: nobody there
with database.uri "$(uri daemon_login 1)" 'the database is down' 69 'database'
mapfile -t ids < <(add_operations 10)
good "${ids[@]}"
config[provider.base_url]=http://127.0.0.1:1
write_config
run closed --once
same 'the provider is down: --once ends with 69' 69 "$status"
same 'the provider is down: nothing is given up' 0 \
  "$(count "operations WHERE status NOT IN ('Admitted', 'Unknown')")"
default_config
write_config
sql -c 'UPDATE operations SET lease_until = now()'
run open --once
same 'the provider is back: 0' 0 "$status"

# 75: reachable and read-only
sql -c 'ALTER ROLE daemon_login SET default_transaction_read_only = on'
refuses 'read-only' 75 'read-only'
sql -c 'ALTER ROLE daemon_login RESET default_transaction_read_only'
start_standby
with database.uri "$(uri daemon_login "$standby_port")" 'a standby' 75 'standby|read-only'

# 77: not allowed
sql -c 'CREATE ROLE stranger LOGIN'
with database.uri "$(uri stranger)" 'a role without grants' 77 'permission|role'
require_password stranger right
printf 'wrong\n' >"$work/password"
config[database.password_file]=$work/password
with database.uri "$(uri stranger)" 'a wrong password' 77 'password'
unset 'config[database.password_file]'

# 78: configuration
with recovery.pol_interval 1s 'an unknown key' 78 'reconciled.yaml:[0-9]+:[0-9]+.*poll_interval'
with timings.execution_lease 60 'a missing unit' 78 'timings.execution_lease'
with provider.profile "$work/nowhere.yaml" 'no profile' 78 'nowhere.yaml'
with timings.lease_margin 50s 'unsafe timings' 78 'recovery_lease'
with timings.admission_leeway 31s 'differing timings' 78 \
  'admission_leeway: 31s in the file, 30s in contract_timings'
"$daemon" --config "$work/nowhere.yaml" 2>"$work/nowhere"
same 'no file: 78' 78 "$?"
matches 'no file: named' 'nowhere.yaml' "$(cat "$work/nowhere")"
: >"$work/credential"
refuses 'an empty credential' 78 "$work/credential"
nothing_is_broken
