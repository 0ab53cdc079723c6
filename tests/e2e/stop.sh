#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Design section 4: SIGTERM with quick and slow lookups in flight, a second SIGTERM, SIGINT.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[provider.timeout]=30s
config[recovery.drain_timeout]=6s
config[timings.recovery_lease]=60s
agree_on_timings
write_config

# Quick lookups answer after the signal and within drain_timeout, slow ones never.
begin() { # NAME
  sql -c 'TRUNCATE operations, recovery_evidence'
  tell '{"forget":true}'
  local before
  before=$(requests)
  mapfile -t quick < <(add_operations 4)
  mapfile -t slow < <(add_operations 3)
  good "${quick[@]}"
  local id
  for id in "${quick[@]}"; do printf '{"key":"%s","delay_ms":3000}\n' "$id"; done | script
  for id in "${slow[@]}"; do printf '{"key":"%s","cut":"never"}\n' "$id"; done | script
  start_daemon "$1"
  until_true asked $((before + 7))
}

handed_back() { # NAME: what design section 4 says of the slow ones
  same "$1: the slow ones are free, with their status" 3 "$(count "operations
    WHERE status = 'Admitted' AND owner_version = 2 AND owner_token IS NULL")"
  same "$1: they are due about now" 3 "$(count "operations WHERE status = 'Admitted'
    AND lease_until BETWEEN '$signalled' AND clock_timestamp()")"
  same "$1: one handback row each" 'handback - handed-back shutdown' \
    "$(for id in "${slow[@]}"; do evidence "$id"; done | sort -u)"
  same "$1: and no other" 3 "$(count "recovery_evidence WHERE step = 'handback'")"
}

for signal in TERM INT; do
  begin "$signal"
  signalled=$(sql -c 'SELECT clock_timestamp()')
  same "$signal: all are in flight" '7 Admitted 2 owned' "$(summary)"
  mapfile -t late < <(add_operations 1)
  end_daemon "$signal" "$signal"
  same "$signal: exit status 0" 0 "$status"
  same "$signal: the quick ones are recorded" 'lookup found Succeeded proven' \
    "$(for id in "${quick[@]}"; do evidence "$id"; done | sort -u)"
  same "$signal: no new takeover" 1 "$(column owner_version "${late[0]}")"
  sql -c "DELETE FROM operations WHERE operation_id = '${late[0]}'"
  handed_back "$signal"
  matches "$signal: it says that it stops" '"in_flight":7' "$(event "$signal" stopping)"
  matches "$signal: and what it hands back" '"operations":3' "$(event "$signal" handed_back)"
  tell '{"forget":true}'
  good "${slow[@]}"
  run "after-$signal" --once
  same "$signal: the next one takes them at once" '7 Succeeded' \
    "$(sql -F ' ' -c 'SELECT count(*), status FROM operations GROUP BY status')"
  same "$signal: and ends with 0" 0 "$status"
done
nothing_is_broken

# A second signal means now: nothing is waited for, the leases run out.
begin twice
kill -TERM "${pids[twice]}"
until_true logged twice stopping
end_daemon twice TERM
same 'twice: exit status 0' 0 "$status"
same 'twice: nothing is handed back' 0 "$(count "recovery_evidence WHERE step = 'handback'")"
same 'twice: the slow ones are left to their leases' 3 "$(count "operations
  WHERE owner_token IS NOT NULL AND status = 'Admitted' AND lease_until > clock_timestamp()
    AND operation_id = ANY ('{$(IFS=,; echo "${slow[*]}")}')")"
nothing_is_broken

# Nothing in flight: it ends without waiting, and a signal before the start is over is as good.
sql -c 'TRUNCATE operations, recovery_evidence'
start_daemon idle
until_true logged idle started
end_daemon idle TERM
same 'idle: exit status 0' 0 "$status"
same 'idle: nothing was handed back' 0 "$(lines idle handed_back)"
hold 'LOCK TABLE contract_timings IN ACCESS EXCLUSIVE MODE'
start_daemon early
until_true counts "pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'daemon_login'" 1
end_daemon early TERM
same 'early: exit status 0' 0 "$status"
let_go
nothing_is_broken
