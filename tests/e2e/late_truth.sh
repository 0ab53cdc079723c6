#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Late truth: a credit that appears after an operation was left to a person is told and in evidence,
# by one daemon of two, without ownership, and the status stays for the person.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[recovery.late_truth]=1s
write_config

mapfile -t ids < <(add_operations 3 '-1 day')
run incident --once
same 'they are left to a person' '3 NeedsReconciliation 2 free' "$(summary)"
before=$(sql -c 'SELECT operations FROM operations ORDER BY operation_id')

looks() { count "recovery_evidence WHERE step = 'late' AND operation_id = '$1'"; }
looked() { (($(looks "$1") >= $2)); } # ID COUNT
told() { cat "$work/left.log" "$work/right.log" | grep '"event":"late_truth"'; }
told_of() { told | grep -q "$1"; } # ID

start_daemon left
start_daemon right
until_true looked "${ids[2]}" 2
same 'absent again: evidence, and nothing is told' 'late absent none absent-after-window' \
  "$(evidence "${ids[0]}" | tail -n1)"
same 'absent again: no event' '' "$(told)"

good "${ids[0]}"
until_true told_of "${ids[0]}"
matches 'a credit appears: told at error' '"level":"error".*"event":"late_truth"' "$(told | head -n1)"
matches 'a credit appears: with its reference and reason' \
  "\"reason\":\"proven\".*\"provider_reference\":\"cr_${ids[0]:0:8}\"" "$(told | head -n1)"
same 'a credit appears: evidence' 'late found credit proven' "$(evidence "${ids[0]}" | tail -n1)"
same 'every operation stays as it was' "$before" \
  "$(sql -c 'SELECT operations FROM operations ORDER BY operation_id')"
same 'two daemons: no two looks at one operation within the interval' 0 "$(count "(
  SELECT observed_at - lag(observed_at) OVER (PARTITION BY operation_id ORDER BY evidence_id) AS gap
  FROM recovery_evidence) AS looks WHERE gap < interval '1 second'")"

# A person settles it; nobody looks at it any more. A daemon in the middle of a look ends at once.
"$daemon" --config "$work/reconciled.yaml" resolve "${ids[0]}@2" --as Succeeded --reason 'came late' \
  >"$work/resolve.out" 2>"$work/resolve.log"
same 'resolve: 0' 0 $?
settled=$(looks "${ids[0]}")
tell '{"cut":"never"}'
at=$(requests)
until_true asked $((at + 1))
end_daemon left TERM
same 'SIGTERM in the middle of a look: 0' 0 "$status"
end_daemon right TERM
same 'SIGTERM beside it: 0' 0 "$status"
same 'what is settled is not looked at any more' "$settled" "$(looks "${ids[0]}")"
same 'no defect was logged' '' "$(cat "$work"/*.log | grep -i defect)"
