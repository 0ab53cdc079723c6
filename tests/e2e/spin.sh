#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Design section 4: a due row that somebody else has locked must not make the daemon spin; nor must
# idleness. The server's log counts the statements.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

postgres_options=(-c log_statement=all)
start_database
start_provider
default_config
config[recovery.poll_interval]=500ms
write_config

executed() { grep -cE 'execute [a-z_]+:' "$work/pg/log"; }
executions() { (($(executed) >= $1)); }
clock() { sql -c 'SELECT extract(epoch FROM clock_timestamp())::numeric(20, 3) * 1000'; } # ms

# Waits for 20 statements, then compares them with the polls that fit into the time that passed: two
# a poll, and a third of grace for what was under way. A slow machine makes fewer, never more.
bounded() { # NAME
  local first begun passed
  first=$(executed)
  begun=$(clock)
  until_true executions $((first + 20))
  passed=$(clock)
  passed=$((${passed%.*} - ${begun%.*}))
  matches "$1: no more than polls allow ($passed ms)" '^(yes)$' \
    "$( ((20 <= 3 * (passed / 500) + 6)) && echo yes)"
}

mapfile -t ids < <(add_operations 20)
good "${ids[@]}"
hold "SELECT FROM operations WHERE operation_id = '${ids[0]}' FOR UPDATE"
start_daemon main
succeeds 'the others are settled meanwhile' until_true \
  counts "operations WHERE status = 'Succeeded'" 19
bounded 'one row is locked'
same 'the locked one is as it was' 1 "$(column owner_version "${ids[0]}")"
add_good 5
succeeds 'new ones are settled beside it' until_true \
  counts "operations WHERE status = 'Succeeded'" 24
let_go
succeeds 'it is settled after the lock' until_true counts "operations WHERE status = 'Succeeded'" 25
same 'each at its first attempt' '25 Succeeded 2 free' "$(summary)"
bounded 'nothing is due'

# Evidence that cannot be written: the row's own fault, which is not tried in a tight loop either.
sql -c "ALTER TABLE recovery_evidence ADD CONSTRAINT no_more CHECK (reason <> 'proven') NOT VALID"
add_good 3
succeeds 'a row that the database refuses is told' until_true logged main record_refused 3
bounded 'rows are refused'
same 'they are left to their lease' 3 \
  "$(count "operations WHERE status = 'Admitted' AND owner_token IS NOT NULL")"
end_daemon main TERM
same 'it stops with 0' 0 "$status"
nothing_is_broken
