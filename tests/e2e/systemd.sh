#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What systemd hears (design section 11, cases.md B35): READY only once all is good, pings whatever
# fails, a STATUS that helps, RELOADING and STOPPING.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
short_leases
config[database.statement_timeout]=1s
write_config

export WATCHDOG_USEC=2000000
listen() { # ADDRESS NAME
  "$build_dir/tests/notify_listener" "$1" "$work/$2.heard" 2>"$work/$2.trouble" &
  at_end "kill $!"
  until_true grep -q LISTENING "$work/$2.heard"
  export NOTIFY_SOCKET=$1
  heard=$work/$2.heard
}
said() { grep -cE "$1" "$heard"; }
hears() { (($(said "$1") > ${2:-0})); }          # PATTERN [MORE THAN]
last_status() { [[ $(grep '^STATUS=' "$heard" | tail -n1) =~ $1 ]]; }
pings_on() { # NAME: three more pings from now on
  succeeds "$1" until_true hears '^WATCHDOG=1' $(($(said '^WATCHDOG=1') + 3))
}

listen "$work/notify" start
# What must be good before READY, broken one at a time.
sql -c 'ALTER TABLE operations RENAME TO elsewhere'
run broken
same 'without the contract it ends with 65' 65 "$status"
sql -c 'ALTER TABLE elsewhere RENAME TO operations'
sed 's/^instance:.*/instances: x/' "$work/reconciled.yaml" >"$work/wrong.yaml"
"$daemon" --config "$work/wrong.yaml" 2>/dev/null
same 'with a fault in the file it ends with 78' 78 "$?"
same 'READY was never said' 0 "$(said READY)"
hold 'LOCK TABLE contract_timings IN ACCESS EXCLUSIVE MODE'
start_daemon early
until_true counts "pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'daemon_login'" 1
same 'READY is not said while it checks' 0 "$(said READY)"
let_go
kill -KILL "${pids[early]}"
await_end early

listen "@reconciled-test-$$-$RANDOM" main
start_daemon main
succeeds 'READY over an abstract socket' until_true hears '^READY=1'
same 'READY is said once' 1 "$(said '^READY=1')"
pings_on 'pings while nothing is due'
mapfile -t ids < <(add_operations 3)
good "${ids[@]}"
succeeds 'STATUS counts what was recorded' until_true last_status '3 Succeeded.*database ok'

"$cluster" stop "$work/pg" immediate
succeeds 'STATUS names the lost database' until_true last_status 'database lost'
pings_on 'pings while the server is down'
"$cluster" start "$work/pg"
succeeds 'STATUS says that it is back' until_true last_status 'database ok'
until_true logged main database_back

# B35: a table lock.
lost_before=$(lines main database_lost)
hold 'LOCK TABLE operations IN ACCESS EXCLUSIVE MODE'
until_true logged main database_lost $((lost_before + 1))
succeeds 'STATUS names the database during a table lock' until_true last_status 'database lost'
pings_on 'pings during a table lock'
let_go
mapfile -t ids < <(add_operations 50)
good "${ids[@]}"
succeeds 'all are settled after the lock' until_true \
  counts "operations WHERE status = 'Succeeded' AND owner_version = 2" 53

# The provider is gone: six due operations open the breaker.
stop_provider
mapfile -t ids < <(add_operations 6)
succeeds 'STATUS names the provider' until_true last_status 'provider not asked: .*'
pings_on 'pings while the breaker is open'
start_provider
good "${ids[@]}"

kill -HUP "${pids[main]}"
succeeds 'READY after a reload' until_true hears '^READY=1' 1
matches 'RELOADING, with the time, before it' \
  'RELOADING=1 MONOTONIC_USEC=[0-9]+ READY=1' \
  "$(grep -E 'RELOADING|MONOTONIC|READY' "$heard" | tail -n3 | tr '\n' ' ')"
told=$(sed -n 's/^MONOTONIC_USEC=//p' "$heard" | tail -n1)
((told > 0 && told <= $(cut -d. -f1 /proc/uptime) * 1000000 + 1000000))
same 'the time is that of CLOCK_MONOTONIC' 0 "$?"

hold 'LOCK TABLE operations IN ACCESS EXCLUSIVE MODE'
end_daemon main TERM
same 'SIGTERM inside a table lock ends it with 0' 0 "$status"
let_go
same 'STOPPING is said' 1 "$(said '^STOPPING=1')"
nothing_is_broken
