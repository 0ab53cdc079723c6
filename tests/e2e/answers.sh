#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What providers have answered to others (cases B03 to B15, see tests/cases.md), to the whole daemon:
# one look each, at operations whose window is long over, where an absence would be final.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[recovery.give_up_after]=365d
write_config

# With the others, whose answers are good.
case_begins() { # NAME [sed arguments for the profile]
  case_name=$1
  sed -e '' "${@:2}" "$source_dir/tests/support/profile.yaml" >"$work/profile.yaml"
  tell '{"forget":true}'
  sql -c "UPDATE operations SET lease_until = now() + interval '1 day'
    WHERE status IN ('Admitted', 'Unknown')"
  mapfile -t others < <(add_operations 20)
}

late_op() { # [AMOUNT [CURRENCY]]: sets op
  op=$(add_operations 1 '-2 days')
  sql -c "UPDATE operations SET amount = ${1:-250.00}, currency = '${2:-USD}'
    WHERE operation_id = '$op'"
}

quoted() { # TEXT as a JSON string
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}
row() { # KEY [AMOUNT [CURRENCY]], the amount as JSON
  printf '{"id":"cr_%s","key":"%s","amount":%s,"currency":"%s","account":"A-1","state":"posted"}' \
    "${1:0:4}" "$1" "${2:-\"250.00\"}" "${3:-USD}"
}
answers() { # BODY [MEMBERS]: to op; with "times" once and then no more
  tell "{\"key\":\"$op\",\"body\":$(quoted "$1")${2:+,$2}}"
}
declare -A wanted=()
wants() { wanted[$op]=$1; } # FINDING DECISION REASON, as a pattern

one_look() { # [command to run it by]
  local id
  good "${others[@]}"
  "$@" "$daemon" --config "$work/reconciled.yaml" --once >"$work/once.out" 2>"$work/once.log" </dev/null
  status=$?
  ((status <= 1)) || not_ok "$case_name: it ends with 0 or 1" <"$work/once.log"
  for id in "${!wanted[@]}"; do
    matches "$case_name: ${wanted[$id]}" "^lookup ${wanted[$id]}\$" "$(evidence "$id" | tail -n1)"
  done
  same "$case_name: the others are settled" 0 "$(count "operations
    WHERE status <> 'Succeeded' AND operation_id = ANY ('{$(IFS=, && echo "${others[*]}")}')")"
  same "$case_name: the provider stays available" 0 "$(grep -c provider_unavailable "$work/once.log")"
  wanted=()
}
asked_for() { curl --silent --max-time 60 "$provider_url/_ledger" | grep -F "$op" |
  node -e 'for (const line of require("fs").readFileSync(0, "utf8").split("\n"))
    if (line) console.log(JSON.parse(line).target)'; }

# --- B03: the cursor dies between pages ----------------------------------------------------------
cursor='s|{kind: none}|{kind: cursor, param: cursor, cursor_at: /next}|'
case_begins B03 -e "$cursor"
expired='{"errors":[{"field":"cursor"}]}'
late_op
first=$op
wants 'incomplete Unknown incomplete'
answers "{\"data\":[$(row other)],\"next\":\"c2\"}" '"times":1'
answers "$expired" '"status":400'
late_op
wants 'incomplete Unknown incomplete'
answers "{\"data\":[$(row "$op")],\"next\":\"c2\"}" '"times":1'
answers "$expired" '"status":400'
one_look
case_begins 'B03, good again' -e "$cursor"
op=$first
due "$op"
wants 'found Succeeded proven'
answers "{\"data\":[$(row other)],\"next\":\"c3\"}" '"times":1'
answers "{\"data\":[$(row "$op")]}"
one_look
same 'B03: the next look begins without a cursor' "/v1/credits?key=$op" "$(asked_for | sed -n 3p)"

# --- B04: Link headers as they come --------------------------------------------------------------
case_begins B04 -e 's|{kind: none}|{kind: link_header}|'
late_op
wants 'found Succeeded proven'
previous="<$provider_url/v1/credits?key=$op&page=1>; rel=\"prev\""
next="</v1/credits?key=$op&f=a,b&page=2>; title=\"x, y\"; rel=next"
answers "{\"data\":[$(row other)]}" \
  "\"times\":1,\"headers\":{\"Link\":[$(quoted "$previous"),$(quoted "$next")]}"
answers "{\"data\":[$(row "$op")]}"
followed=$op
late_op
wants '(incomplete|unintelligible) Unknown (incomplete|unintelligible)'
answers "{\"data\":[$(row other)]}" \
  "\"headers\":{\"Link\":$(quoted "<$provider_url/v1/credits?page=2; rel=\"next\"")}"
one_look
op=$followed
same 'B04: the second page as it was named' "/v1/credits?key=$op&f=a,b&page=2" "$(asked_for | tail -n1)"

# --- B05: a next URL with another scheme, host or port -------------------------------------------
"$build_dir/tests/test_provider" --port-file "$work/elsewhere" >/dev/null 2>&1 &
at_end "kill $!"
until_true test -s "$work/elsewhere"
elsewhere=127.0.0.1:$(<"$work/elsewhere")
case_begins B05 -e 's|{kind: none}|{kind: next_url, at: /next}|'
strayed=()
for next in "https://127.0.0.1:$provider_port/v1/credits" http://127.0.0.1/v1/credits \
  "http://localhost:$provider_port/v1/credits" "//$elsewhere/v1/credits" "http://$elsewhere/v1/credits"; do
  late_op
  strayed+=("$op")
  wants 'incomplete Unknown incomplete'
  answers "{\"data\":[$(row other)],\"next\":\"$next?page=2\"}"
done
late_op
wants 'found Succeeded proven'
answers "{\"data\":[$(row other)],\"next\":\"/v1/credits?key=$op&page=2\"}" '"times":1'
answers "{\"data\":[$(row "$op")],\"next\":null}"
one_look
same 'B05: nobody else hears of it' '' "$(curl --silent --max-time 60 "http://$elsewhere/_ledger")"
for op in "${strayed[@]}"; do
  same 'B05: no second request' 1 "$(asked_for | wc -l)"
done

# --- B06: thousands separators -------------------------------------------------------------------
case_begins B06
odd() { # AMOUNT OF THE OPERATION, OF THE ANSWER, WANTED
  late_op "$1"
  wants "$3"
  answers "{\"data\":[$(row "$op" "$2")]}"
}
unread='unintelligible Unknown unintelligible'
odd 1.00 '"1,000.00"' "$unread"
for amount in 1,234.56 1.234,56 '1 234.56' 'USD 1234.56' '1234.56 ' ''; do
  odd 1234.56 "\"$amount\"" "$unread"
done
odd 1234.56 '"1234.560"' 'found Succeeded proven'
late_op
wants 'found Succeeded proven'
answers "{\"data\":[$(row another '"1,000.00"'),$(row "$op")]}"
one_look

# --- B07: exponents, small and absurd ------------------------------------------------------------
case_begins B07
for amount in 2.5e2 25000e-2 2.5E+0002; do odd 250.00 "$amount" 'found Succeeded proven'; done
odd 250.00 250.00000000000000000001 'found NeedsReconciliation mismatch'
odd 250.00 -250 'found NeedsReconciliation mismatch'
for amount in 1e999999999 0.25e1000000; do odd 250.00 "$amount" "$unread"; done
one_look prlimit --data=$((256 * 1024 * 1024))

# --- B08: a currency whose provider disagrees with ISO 4217 --------------------------------------
minor='s|type: decimal, unit: major|type: integer, unit: minor|'
in_minor() { # AMOUNT CURRENCY, ANSWER CURRENCY, WANTED
  late_op "$1" "$2"
  wants "$5"
  answers "{\"data\":[$(row "$op" "$3" "$4")]}"
}
case_begins B08 -e "$minor"
others=() # theirs are in major units
in_minor 5 UGX 500 ugx 'found NeedsReconciliation mismatch'
in_minor 500 JPY 500 JPY 'found Succeeded proven'
in_minor 1.234 KWD 1234 KWD 'found Succeeded proven'
in_minor 5.50 JPY 550 JPY 'found NeedsReconciliation mismatch'
in_minor 5.50 JPY 5 JPY 'found NeedsReconciliation mismatch'
one_look
case_begins 'B08, declared' -e "$minor" -e 's|unit: minor|&, exponents: {UGX: 2}|'
others=()
in_minor 5 UGX 500 ugx 'found Succeeded proven'
one_look

# --- B09: metadata that is [], {}, null or a number ----------------------------------------------
carried() { # CARRIERS WITHOUT A KEY, OURS
  local carrier rows='' amount='"amount":"250.00","currency":"USD","account":"A-1","state":"posted"'
  for carrier in $1; do rows+="{\"id\":\"x\",\"metadata\":$carrier,$amount},"; done
  late_op
  wants 'found Succeeded proven'
  answers "{\"data\":[$rows{\"id\":\"x\",$amount},{\"id\":\"cr_1\",\"metadata\":${2//KEY/$op},$amount}]}"
  late_op
  wants 'absent NeedsReconciliation absent-after-window'
  answers "{\"data\":[$rows{\"id\":\"x\",$amount}]}"
}
case_begins 'B09, map' -e 's|key: {at: /key}|key: {at: /metadata/operation_id}|'
others=()
carried '[] null "" {"operation_id":null} {"operation_id":7}' '{"operation_id":"KEY"}'
one_look
case_begins 'B09, pairs' \
  -e 's|key: {at: /key}|key: {pairs_at: /metadata, name: key, value: value, equals: operation_id}|'
others=()
carried '{} null [null] [{"key":"operation_id"}]' '[{"key":"operation_id","value":"KEY"}]'
one_look

# --- B10: errors dressed as success, emptiness dressed as error ----------------------------------
plainly() { # MEMBERS BODY WANTED
  late_op
  wants "$3"
  answers "$2" "$1"
}
case_begins B10
plainly '' '{"error":{"code":"X"}}' "$unread"
plainly '' '{"data":null,"errors":[{}]}' "$unread"
plainly '' '[]' "$unread"
plainly '"status":204' '' "$unread"
plainly '"status":400' '{"detail":"nothing found"}' "$unread"
plainly '"status":404' '{}' "$unread"
one_look
case_begins 'B10, declared' -e 's|, paging:|, empty_statuses: [404]&|'
plainly '"status":404' '{}' 'absent NeedsReconciliation absent-after-window'
one_look

# --- B11: maintenance page, false gzip, byte order mark, JSON by another media type --------------
case_begins B11
plainly '"type":"text/html"' '<html><meta http-equiv="refresh" content="60">down</html>' "$unread"
late_op && wants 'no-answer Unknown no-answer'
answers "{\"data\":[$(row "$op")]}" '"headers":{"Content-Encoding":"gzip"}'
late_op && wants 'found Succeeded proven'
answers $'\xef\xbb\xbf'"{\"data\":[$(row "$op")]}"
for type in 'application/hal+json; charset=utf-8' application/vnd.example.v1.hal+json; do
  late_op && wants 'found Succeeded proven'
  answers "{\"data\":[$(row "$op")]}" "\"type\":\"$type\""
done
late_op && wants "$unread"
answers "{\"data\":[$(row "$op")]}" '"type":"text/html"'
one_look

# --- B15: the look-up window from the wrong clock ------------------------------------------------
window='s|query: {key: "{operation_id}"}|query: {key: "{operation_id}", "created[gte]": "{window_start:epoch}", until: "{window_end:rfc3339}"}, window: {before: 5m, after: 1m}|'
seconds() { sql -c "SELECT floor(extract(epoch FROM $1))::bigint ${2:-}"; }
between() { (($1 <= $2 && $2 <= $3)); }
looked_by() { # NAME COMMAND...: with another clock or zone than the database's
  local name=$1 before until
  shift
  case_begins "B15, $name" -e "$window"
  late_op
  sql -c "UPDATE operations SET created_at =
      date_trunc('second', now()) - interval '10 minutes' + interval '999999 us'
    WHERE operation_id = '$op'"
  wants 'absent NeedsReconciliation absent-after-window'
  before=$(seconds 'clock_timestamp()')
  one_look "$@"
  same "B15, $name: from the second that the operation is from, less five minutes" \
    "$(seconds "created_at - interval '5 minutes'" "FROM operations WHERE operation_id = '$op'")" \
    "$(asked_for | sed -n 's/.*created%5Bgte%5D=\([0-9]*\)&.*/\1/p')"
  until=$(asked_for | sed -n 's/.*until=\([^&]*\).*/\1/p')
  until=$(seconds "timestamptz '${until//%3A/:}'")
  succeeds "B15, $name: until a minute from the database's now" \
    between $((before + 60)) "$until" $(($(seconds 'clock_timestamp()') + 61))
}
ahead() { FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f "$@"; }
looked_by 'a day ahead' ahead +1d
looked_by 'a day behind' ahead -1d
looked_by 'Kathmandu' env TZ=Asia/Kathmandu
nothing_is_broken
