#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The metrics page of a running daemon (design section 11; faults.md R10; cases.md B40).
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
short_leases
config[retention.consumptions]=true
write_config

scrape() { curl --silent --fail --max-time 60 "http://127.0.0.1:$metrics_port/metrics" >"$work/page"; }
# The series of a page have their labels in an order of the library's own.
metric() { # SERIES: its value on the page scraped last
  awk -v series="$1" '$1 == series {print $2}' "$work/page"
}
shows() { # SERIES VALUE: on a fresh page
  scrape && [[ $(metric "$1") == "$2" ]]
}

# A port that the kernel names is free until somebody else takes it; then another is tried.
start_with_metrics() { # NAME
  local try
  for try in 1 2 3 4 5; do
    metrics_port=$((20000 + (RANDOM * 7 + try) % 12000))
    config[metrics.listen]=127.0.0.1:$metrics_port
    write_config
    start_daemon "$1"
    until_true eval "logged $1 started || gone ${pids[$1]}"
    gone "${pids[$1]}" || return 0
    await_end "$1"
  done
  give_up 'the daemon serves metrics' <"$work/$1.log"
}

# What is there at the start is measured at the start.
mapfile -t due < <(add_operations 3 '1 hour' '1 day')
sql -c "UPDATE operations SET status = 'NeedsReconciliation', owner_version = 2,
    created_at = now() - interval '1 hour' WHERE operation_id = '${due[0]}'" \
  -c "INSERT INTO recovery_evidence (operation_id, owner_version, instance, step, decision, reason)
    VALUES ('${due[0]}', 2, 'x', 'lookup', 'NeedsReconciliation', 'mismatch'),
      ('${due[0]}', 2, 'x', 'late', 'none', NULL)"
start_with_metrics main
succeeds 'what waits for a person is shown with its reason' until_true \
  shows 'reconciled_unresolved_operations{reason="mismatch",status="NeedsReconciliation"}' 1
same 'and what is scheduled' 2 \
  "$(metric 'reconciled_unresolved_operations{reason="",status="Admitted"}')"
same 'nothing is due' 0 "$(metric reconciled_due_operations)"
age=$(metric reconciled_needs_reconciliation_age_seconds)
same 'the oldest waits for an hour' 1 "$((${age%.*} >= 3600 && ${age%.*} < 7200))"
matches 'the version is shown' 'reconciled_build_info\{version="[0-9.]+"\} 1' "$(cat "$work/page")"
matches 'Prometheus knows the type' 'Content-Type: text/plain; version=0\.0\.4' \
  "$(curl --silent --head --max-time 60 "http://127.0.0.1:$metrics_port/metrics")"

add_good 5
succeeds 'what was recorded is counted' until_true \
  shows 'reconciled_operations_recorded_total{reason="proven",status="Succeeded"}' 5
same 'so are takeovers' 5 "$(metric reconciled_takeovers_total)"
same 'so are lookups' 5 "$(metric 'reconciled_lookups_total{finding="found"}')"
same 'which are timed' 5 "$(metric reconciled_lookup_duration_seconds_count)"
same 'so is the time to an outcome' 5 "$(metric reconciled_time_to_outcome_seconds_count)"
succeeds 'a sweep was permitted' until_true shows reconciled_cleanup_permitted 1

# R10: forty scrapers that read nothing.
for _ in {1..40}; do
  exec {silent}<>"/dev/tcp/127.0.0.1/$metrics_port" && printf 'GET /metrics HTTP/1.1\r\n' >&"$silent"
done
add_good 5
succeeds 'R10: silent scrapers hold up no work' until_true \
  counts "operations WHERE status = 'Succeeded'" 10
succeeds 'R10: and are sent away, so that others are served' until_true \
  shows 'reconciled_operations_recorded_total{reason="proven",status="Succeeded"}' 10

# B40: the same address for a second daemon.
run second
same 'B40: a second daemon on the same address ends with 78' 78 "$status"
matches 'B40: and says why' 'metrics.listen: cannot listen on .*in use.*an address of its own' \
  "$(event second stopping)"

# What the database says last is whether it is up.
"$cluster" stop "$work/pg" immediate
succeeds 'a lost database is shown' until_true shows reconciled_database_up 0
"$cluster" start "$work/pg"
succeeds 'and that it is back' until_true shows reconciled_database_up 1

sed 's/^instance:.*/instances: x/' "$work/reconciled.yaml" >"$work/wrong.yaml"
cp "$work/reconciled.yaml" "$work/right.yaml"
cp "$work/wrong.yaml" "$work/reconciled.yaml"
kill -HUP "${pids[main]}"
succeeds 'a rejected reload is shown' until_true shows reconciled_config_reload_success 0
cp "$work/right.yaml" "$work/reconciled.yaml"
kill -HUP "${pids[main]}"
succeeds 'and one that succeeded' until_true shows reconciled_config_reload_success 1
same 'the credential is not on the page' '' "$(grep -F "$credential" "$work/page")"

end_daemon main TERM
same 'it ends with 0' 0 "$status"
nothing_is_broken
