#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An incident as a person on call goes through it: list, show, recheck, the daemon, resolve, check;
# with the built program, in its role, and with its exit codes (design section 10).
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
sql -c 'CREATE ROLE operator_login LOGIN NOINHERIT' -c 'GRANT reconciled_operator TO operator_login'
start_provider
default_config
config[recovery.look_again_after]=50ms
write_config
as_daemon=${config[database.uri]}

says() { cat "$work/$1.out"; }                        # NAME: its results
complains() { cat "$work/$1.log"; }                   # NAME: its errors
act() { SUDO_USER=alice run "$@"; }                   # NAME VERB...: as a person, through sudo
version() { column owner_version "$1"; }
fields() { # NAME FIELD...: of each JSON line, with blanks between
  node -e 'const fields = process.argv.slice(1);
    for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n"))
      if (line) { const row = JSON.parse(line); console.log(fields.map(f => row[f]).join(" ")); }' \
    "${@:2}" <"$work/$1.out"
}

# Three credits that nobody recorded: the provider has lost two, and hides one.
mapfile -t ids < <(add_operations 3 '-1 day')
run incident --once
same 'the daemon leaves them to a person' '3 NeedsReconciliation 2 free' "$(summary)"
first=${ids[0]} second=${ids[1]} third=${ids[2]}

# From here on the person's login, which can do nothing but by SET ROLE.
config[database.uri]=$(uri operator_login)
write_config

run list list
same 'list: 0' 0 "$status"
matches 'list: the table says why' "$first +[0-9]+[a-z] NeedsReconciliation absent-after-window" "$(says list)"
matches 'list: a sum' '3 operations$' "$(says list)"
same 'list: no line is longer than 80 columns' '' "$(grep -E '^.{81}' "$work/list.out")"
run list-json list --status NeedsReconciliation --reason absent-after-window --account A-1 \
  --older-than 1s --limit 2 --output json
same 'list: filters and limit, JSON by column names' \
  $'NeedsReconciliation absent-after-window 2 A-1 250.00\nNeedsReconciliation absent-after-window 2 A-1 250.00' \
  "$(fields list-json status reason owner_version account_id amount)"
for filter in '--status Succeeded' '--reason duplicate' '--account A-2' '--older-than 1d'; do
  # shellcheck disable=SC2086 # two words
  run filtered list $filter --output json
  same "list $filter: nothing, and 0" '0 ' "$status $(says filtered)"
done

run show show "$first"
same 'show: 0' 0 "$status"
matches 'show: when it was admitted' 'admitted for caller' "$(says show)"
matches 'show: the look, and what was decided' \
  'looked up by e2e, version 2: absent, status 200' "$(says show)"
matches 'show: why' '-> NeedsReconciliation \(absent-after-window\)' "$(says show)"
matches 'show: what to do' 'reconciled resolve' "$(says show)"
same 'show: no line is longer than 80 columns' '' "$(grep -E '^.{81}' "$work/show.out")"
run show-json show "$first" --output json
same 'show: JSON, the operation and then its evidence' \
  $'NeedsReconciliation  \n lookup NeedsReconciliation' "$(fields show-json status step decision)"
run unknown show 00000000-0000-4000-8000-00000000abcd
same 'show: an unknown id is 1' 1 "$status"

run checked check
same 'check: what is left to a person is no silent stop' 0 "$status"

# The provider finds the first credit after all.
good "$first"
before=$(checksum)
act dry recheck "$first" --dry-run
same 'recheck --dry-run: 0' 0 "$status"
same 'recheck --dry-run: nothing was written' "$before" "$(checksum)"
act recheck recheck "$first" "$second" 00000000-0000-4000-8000-00000000abcd
same 'recheck: 1 for the unknown id' 1 "$status"
matches 'recheck: which one' '00000000abcd: refused: no operation' "$(complains recheck)"
same 'recheck: the others are due now' "2" "$(count "operations
  WHERE status = 'Unknown' AND lease_until <= now() AND owner_token IS NULL AND owner_version = 2")"
same 'recheck: evidence, with the actor' $'recheck Unknown alice operator_login' "$(sql -F ' ' -c "
  SELECT step, decision, detail ->> 'actor', detail ->> 'login' FROM recovery_evidence
  WHERE operation_id = '$first' ORDER BY evidence_id DESC LIMIT 1")"
act again recheck "$first"
same 'recheck: what is no longer a person'"'"'s is refused' 1 "$status"
matches 'recheck: why' 'only NeedsReconciliation' "$(complains again)"

config[database.uri]=$as_daemon
write_config
run settle --once
same 'the daemon looks again: one is proven, one is not there' \
  'Succeeded NeedsReconciliation' "$(column status "$first") $(column status "$second")"
config[database.uri]=$(uri operator_login)
write_config
run settled show "$first"
matches 'show: the whole walk' 'sent back to be looked at by alice' "$(says settled)"
matches 'show: its end' 'next +nothing: this is final' "$(says settled)"

# The second one is a person's to decide.
before=$(checksum)
act wrong resolve "$second" --as Failed --reason 'never arrived' --expect-version 2
same 'resolve: another version than the one seen is 1' 1 "$status"
act try resolve "$second" --as Failed --reason 'never arrived' --expect-version 3 --dry-run
same 'resolve --dry-run: 0' 0 "$status"
matches 'resolve --dry-run: shows the answer' 'the provider says now: absent' "$(says try)"
same 'neither has written anything' "$before" "$(checksum)"
stop_provider
act gone resolve "$second" --as Failed --reason 'never arrived' --expect-version 3
same 'resolve: a provider that is gone is 69' 69 "$status"
same 'and nothing was written' "$before" "$(checksum)"
act skipped resolve "$second" --as Failed --reason 'never arrived' --expect-version 3 --no-lookup
same 'resolve --no-lookup: 0 without it' 0 "$status"
same 'resolve: recorded' Failed "$(column status "$second")"
same 'resolve: evidence with actor, reason and the look before' \
  'resolution Failed never arrived alice operator_login false absent' "$(sql -F ' ' -c "
  SELECT step, decision, reason, detail ->> 'actor', detail ->> 'login', detail ->> 'asked',
    detail #>> '{last_look,finding}'
  FROM recovery_evidence WHERE operation_id = '$second' ORDER BY evidence_id DESC LIMIT 1")"
start_provider
good "$third"
act contradicted resolve "$third@2" --as Failed --reason 'never arrived'
same 'resolve --as Failed: refused while the provider proves the credit' 1 "$status"
act proven resolve "$third@2" --as Succeeded --reason 'seen in the dashboard'
same 'resolve --as Succeeded: 0' 0 "$status"
matches 'resolve: shows what the provider holds' 'found: cr_.* of 250 USD to account A-1, settled' "$(says proven)"
same 'resolve: the reference that the provider shows is kept' "cr_${third:0:8}" \
  "$(column provider_reference "$third")"
same 'resolve: both looks' 'found Succeeded absent' "$(sql -F ' ' -c "
  SELECT finding, detail ->> 'would_record', detail #>> '{last_look,finding}'
  FROM recovery_evidence WHERE operation_id = '$third' ORDER BY evidence_id DESC LIMIT 1")"
act late resolve "$third" --as Failed --reason 'no' --expect-version 2
same 'resolve: what is final stays final' 1 "$status"

# Before submit_by and the settle time a credit may still come.
mapfile -t early < <(add_operations 1 '1 hour' '1 hour')
sql -c "UPDATE operations SET status = 'NeedsReconciliation' WHERE operation_id = '${early[0]}'"
act early resolve "${early[0]}@1" --as Failed --reason 'no'
same 'resolve --as Failed: too early is 1' 1 "$status"
matches 'resolve --as Failed: until when' 'too early for Failed: until 20' "$(complains early)"

# In flight: a daemon has taken it over and waits for the provider.
config[database.uri]=$as_daemon
write_config
tell '{"delay_ms":1500}'
mapfile -t flying < <(add_operations 1)
start_daemon owner
until_true counts 'operations WHERE owner_token IS NOT NULL' 1
config[database.uri]=$(uri operator_login)
write_config
act flying resolve "${flying[0]}@2" --as Succeeded --reason 'no'
same 'resolve: in flight is 1' 1 "$status"
matches 'resolve: in flight, and until when' 'in flight: a daemon owns it until' "$(complains flying)"
end_daemon owner TERM
tell '{"forget":true}'

# What nobody looks at any more is found, oldest first.
sql -c 'TRUNCATE operations'
mapfile -t stopped < <(add_operations 2 '1 hour' '-2 hours')
sql -c "UPDATE operations SET created_at = created_at - interval '1 day' WHERE operation_id = '${stopped[1]}'"
run found check
same 'check: 1' 1 "$status"
same 'check: oldest first' "${stopped[1]} ${stopped[0]}" \
  "$(grep -oE '^[0-9a-f-]{36}' "$work/found.out" | xargs)"
matches 'check: since when, and what the evidence says' 'overdue since 20.*no evidence' \
  "$(tr '\n' ' ' <"$work/found.out")"
run found-json check --output json
same 'check: JSON' $'Admitted overdue \nAdmitted overdue \n  2' "$(fields found-json status fault faults)"

# B36: more rows than a pipe holds, and an output that goes nowhere.
add_operations 3000 '1 hour' '1 hour' >/dev/null
reconciled() { "$daemon" --config "$work/reconciled.yaml" "$@"; }
first_line=$(reconciled list --output json 2>"$work/pipe.log" | head -n1)
same 'list | head -1: ends quietly' '' "$(cat "$work/pipe.log")"
matches 'list | head -1: the first line is whole' '^\{"operation_id".*\}$' "$first_line"
same 'list: pages hold all of it, each once' 3002 \
  "$(reconciled list --output json | grep -o '^{"operation_id":"[^"]*"' | sort -u | grep -c .)"
reconciled list >/dev/full 2>"$work/full.log"
same 'list >/dev/full: 69' 69 $?
matches 'list >/dev/full: says so' 'output was lost' "$(cat "$work/full.log")"
reconciled show "${stopped[0]}" >&- 2>"$work/closed.log"
matches 'list >&-: fails' '^[1-9]' $?
matches 'show >&-: says so' 'output was lost' "$(cat "$work/closed.log")"

# B42: what the provider repeats of our credential is in no evidence and in no verb's output.
mapfile -t echoed < <(add_operations 1 '-1 day')
sql -c "UPDATE operations SET status = 'NeedsReconciliation' WHERE operation_id = '${echoed[0]}'"
tell "{\"status\":400,\"body\":{\"you_sent\":\"Bearer $credential\"}}"
act echoed resolve "${echoed[0]}@1" --as Succeeded --reason 'seen in the dashboard'
matches 'resolve: an answer of another kind is shown, and a person decides' \
  'the provider says now: unintelligible' "$(says echoed)"
run echoed-show show "${echoed[0]}"
same 'B42: the credential is in no output, log or evidence' '' "$(
  { cat "$work"/*.out "$work"/*.log && sql -c 'SELECT * FROM recovery_evidence'; } |
    grep -F "$credential")"
tell '{"forget":true}'

# Exit codes of the rest.
config[database.uri]=$(uri reader_login)
write_config
run reader list
same 'a reader may list' 0 "$status"
run reader-writes recheck "${stopped[0]}"
same 'a reader may not recheck: 77' 77 "$status"
for wrong in "recheck" "recheck nonsense" "resolve $first --as Failed --reason x" \
  "resolve $first@2 --as Unknown --reason x" "resolve $first@2 --as Failed" \
  "resolve $first@2 --as Failed --reason x --expect-version 2" "show" "list --older-than 3" \
  "list --status Nothing" "list --dry-run" "check --no-lookup" "show $first $second"; do
  # shellcheck disable=SC2086 # words
  run usage $wrong
  same "$wrong: 64" 64 "$status"
done
config[database.uri]=$(uri operator_login 1)
write_config
run down list
same 'no database: 69' 69 "$status"
