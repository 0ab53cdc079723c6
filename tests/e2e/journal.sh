#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Events in a journald of the test's own: fields, catalog, and a journald that has stopped or gone
# (design section 11; faults.md R4).
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

# A mount namespace with no journal but ours; the rest of this script runs inside.
if [[ ${1:-} != inside ]]; then
  journald=/lib/systemd/systemd-journald
  if ((EUID != 0)); then
    skip journal 'starting a journald needs root'
  elif [[ ! -x $journald ]] || ! command -v systemd-cat >/dev/null; then
    skip journal 'systemd is not installed'
  elif ! unshare --mount true 2>/dev/null; then
    skip journal 'mount namespaces are not permitted here'
  else
    unshare --mount --propagation private bash "${BASH_SOURCE[0]}" inside || bad=1
  fi
  exit
fi

# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

journald=/lib/systemd/systemd-journald
for place in /run/systemd /run/log /usr/lib/systemd/catalog /var/lib/systemd/catalog; do
  mkdir -p "$place" && mount -t tmpfs tmpfs "$place"
done
start_journald() {
  "$journald" >"$work/journald.log" 2>&1 &
  journald_pid=$!
  at_end "kill -KILL $journald_pid"
  until_true test -S /run/systemd/journal/stdout
}
mkdir -p /run/log/journal
cp "$source_dir/packaging/reconciled.catalog" /usr/lib/systemd/catalog/
succeeds 'the catalog compiles' journalctl --update-catalog
start_journald

start_database
start_provider
default_config
short_leases
config[log.format]=auto
config[log.level]=debug
metrics_port=$((20000 + (RANDOM + $$) % 12000))
config[metrics.listen]=127.0.0.1:$metrics_port
write_config

start_under_journal() { # NAME: as systemd starts a service
  # shellcheck disable=SC2016 # expanded by the inner shell
  systemd-cat bash -c '
    JOURNAL_STREAM=$(stat --dereference --format %d:%i /proc/self/fd/2)
    export JOURNAL_STREAM
    exec "$0" --config "$1"' "$daemon" "$work/reconciled.yaml" </dev/null &
  pids[$1]=$!
  at_end "kill -KILL $!"
}
journal() { journalctl --directory=/run/log/journal --quiet "$@" 2>/dev/null; }
in_journal() { (($(journal "${@:2}" -o json | grep -c .) >= $1)); } # COUNT MATCH...
field() { # NAME, entry on stdin
  node -e 'const text = require("fs").readFileSync(0, "utf8").trim().split("\n").pop();
    console.log(JSON.parse(text)[process.argv[1]] ?? "absent")' "$1"
}

start_under_journal main
add_good 3
succeeds 'events are found by their field' until_true in_journal 3 RECONCILED_EVENT=recorded
journal RECONCILED_EVENT=recorded -o json | tail -n1 >"$work/entry"
id=$(field RECONCILED_OPERATION_ID <"$work/entry")
matches 'the operation is a field' "$id" "${ids[*]}"
for expected in PRIORITY=6 RECONCILED_STATUS=Succeeded RECONCILED_REASON=proven \
  RECONCILED_FINDING=found RECONCILED_OWNER_VERSION=2 RECONCILED_HTTP_STATUS=200 \
  RECONCILED_INSTANCE=e2e SYSLOG_IDENTIFIER=reconciled "_PID=${pids[main]}" \
  "RECONCILED_PROVIDER_REFERENCE=cr_${id:0:8}" 'MESSAGE=the provider holds exactly this credit' \
  "MESSAGE_ID=$(sed -n 's/.*{"recorded", "\([0-9a-f]*\)".*/\1/p' "$source_dir/daemon/event_table.hpp")"; do
  same "its field ${expected%%=*}" "${expected#*=}" "$(field "${expected%%=*}" <"$work/entry")"
done
matches 'its duration is in microseconds' '^[0-9]+$' \
  "$(field RECONCILED_DURATION_USEC <"$work/entry")"
journal -x RECONCILED_OPERATION_ID="$id" RECONCILED_EVENT=recorded >"$work/explained"
for text in "Subject: A verdict was recorded" "$id is now Succeeded" 'Money at risk: ' 'What to do: '; do
  succeeds "journalctl -x says: ${text/$id/ID}" grep -qF "$text" "$work/explained"
done
mapfile -t two < <(add_operations 1)
printf '{"key":"%s","credits":[{"id":"cr_1","key":"%s","amount":"1.00","currency":"USD","account":"A-1","state":"posted"}]}\n' \
  "${two[0]}" "${two[0]}" | script
succeeds 'a person is asked at priority warning' until_true in_journal 1 \
  RECONCILED_STATUS=NeedsReconciliation RECONCILED_REASON=mismatch PRIORITY=4

dropped() {
  curl --silent --fail --max-time 60 "http://127.0.0.1:$metrics_port/metrics" |
    awk '$1 == "reconciled_log_dropped_total" {print $2}'
}
has_dropped() { (($(dropped) > 0)); }
# In portions that a command line and a request can hold.
add_many() { # COUNT
  local more
  for ((more = $1; more > 0; more -= 500)); do add_good 500; done
}
settled() { counts "operations WHERE status = 'Succeeded'" "$1"; } # NUMBER

# R4: stopped, until socket and queue are full.
kill -STOP "$journald_pid"
add_many 6000
succeeds 'R4: a journald that has stopped stops no work' until_true settled 6003
succeeds 'R4: what found no room is counted' until_true has_dropped
kill -CONT "$journald_pid"
add_good 1
succeeds 'R4: what comes after it went on is there' until_true in_journal 1 \
  RECONCILED_EVENT=recorded RECONCILED_OPERATION_ID="${ids[0]}"

# R4: gone.
kill -KILL "$journald_pid"
add_good 5
succeeds 'R4: a journald that is gone stops no work' until_true settled 6009
start_journald
add_good 1
succeeds 'R4: its successor is written to' until_true in_journal 1 \
  RECONCILED_EVENT=recorded RECONCILED_OPERATION_ID="${ids[0]}"
end_daemon main TERM
same 'it ends with 0' 0 "$status"
nothing_is_broken
