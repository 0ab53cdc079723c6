#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What becomes of the work when nobody reads the log, and of the log when everything repeats
# (faults.md R4; cases.md B36, B42).
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
short_leases
metrics_port=$((20000 + (RANDOM + $$) % 12000))
config[metrics.listen]=127.0.0.1:$metrics_port
config[log.level]=debug
write_config

metric() { # NAME: its value now
  curl --silent --fail --max-time 60 "http://127.0.0.1:$metrics_port/metrics" |
    awk -v name="$1" '$1 == name {print $2}'
}
more_than() { (($(metric "$2") > $1)); } # NUMBER METRIC
# In portions that a command line and a request can hold.
add_many() { # COUNT
  local more
  for ((more = $1; more > 0; more -= 500)); do add_good 500; done
}
settled() { counts "operations WHERE status = 'Succeeded'" "$1"; } # NUMBER
start_daemon_to() { # NAME FILE: its stderr
  "$daemon" --config "$work/reconciled.yaml" >"$work/$1.out" 2>"$2" </dev/null &
  pids[$1]=$!
  at_end "kill -KILL $!"
}

# B36: a reader that goes away after the first line.
mkfifo "$work/read-once"
head -n1 "$work/read-once" >"$work/first-line" &
start_daemon_to left "$work/read-once"
add_good 20
succeeds 'B36: a stderr whose reader is gone stops no work' until_true settled 20
matches 'B36: the reader had its line' '"event":"started"' "$(cat "$work/first-line")"
succeeds 'R4: what nobody can read is counted' until_true more_than 0 reconciled_log_dropped_total
end_daemon left TERM
same 'B36: it ends with 0' 0 "$status"

# R4: a pipe that is open and never read. Two debug lines of each operation are more than the pipe
# and the queue take.
mkfifo "$work/never-read"
(exec 9<"$work/never-read" && exec sleep 1000) &
sleeper=$!
at_end "kill $sleeper"
start_daemon_to deaf "$work/never-read"
add_many 6000
succeeds 'R4: a stderr that nobody reads stops no work' until_true settled 6020
succeeds 'R4: what found no room is counted' until_true more_than 0 reconciled_log_dropped_total
end_daemon deaf TERM
same 'R4: it ends with 0 although its log is stuck' 0 "$status"
kill "$sleeper"

# R4: closed, and a full disk.
for place in '&-' /dev/full; do
  before=$(count 'operations')
  eval "'$daemon' --config '$work/reconciled.yaml' >'$work/lost.out' 2>$place </dev/null &"
  pids[lost]=$!
  at_end "kill -KILL $!"
  add_good 5
  succeeds "R4: 2>$place stops no work" until_true settled $((before + 5))
  matches "R4: 2>$place is no socket of ours" '^/dev/(null|full)$' "$(readlink "/proc/${pids[lost]}/fd/2")"
  end_daemon lost TERM
  same "R4: 2>$place ends with 0" 0 "$status"
done

# B42 (b): the provider is down and 500 operations are due.
config[log.level]=info
write_config
sql -c 'TRUNCATE operations, recovery_evidence'
stop_provider
mapfile -t ids < <(add_operations 500)
start_daemon down
succeeds 'B42: repeats are counted' until_true more_than 10 reconciled_log_suppressed_total
until_true logged down provider_unavailable
"$cluster" stop "$work/pg" immediate
until_true logged down database_lost
"$cluster" start "$work/pg"
until_true logged down database_back
end_daemon down TERM
same 'B42: it ends with 0' 0 "$status"
looks=$(count "recovery_evidence WHERE reason = 'unreachable'")
told=$(grep -c '"event":"recorded".*"finding":"unreachable"' "$work/down.log")
suppressed=$(sed -n 's/.*"event":"recorded","suppressed":\([0-9]*\),"reason":"unreachable".*/\1/p' \
  "$work/down.log" | awk '{sum += $1} END {print sum + 0}')
same 'B42: the first ones are told' 1 $((told >= 20 && told <= 60))
same 'B42: and the others as a number' "$looks" $((told + suppressed))
same 'B42: tens of lines, not thousands' 1 $(($(wc -l <"$work/down.log") < 100))

# B42 (c): 300 duplicates, each an event.
sql -c 'TRUNCATE operations, recovery_evidence'
start_provider
mapfile -t ids < <(add_operations 300 '1 hour' '1 hour')
for id in "${ids[@]}"; do
  printf '{"key":"%s","credits":[' "$id"
  for n in 1 2; do
    ((n == 1)) || printf ','
    printf '{"id":"cr_%s_%s","key":"%s","amount":"250.00","currency":"USD","account":"A-1","state":"posted"}' \
      "${id:0:8}" "$n" "$id"
  done
  printf ']}\n'
done | script
due "${ids[@]}"
start_daemon twice
succeeds 'B42: all are left to a person' until_true counts \
  "operations WHERE status = 'NeedsReconciliation'" 300
end_daemon twice TERM
same 'B42: events about money are never limited' 300 \
  "$(grep -c '"level":"error","event":"recorded".*"reason":"duplicate"' "$work/twice.log")"
nothing_is_broken
