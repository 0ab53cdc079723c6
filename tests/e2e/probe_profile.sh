#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A profile is tried on one operation: the request is shown without the credential and sent only if
# asked for, each row with what fits, and the finding. No database is needed or touched, unless the
# operation is to come from there.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_provider
database_port=1 # nobody listens there
default_config
write_config

id=6fa459ea-ee8a-4ca4-894e-db77e160355e
operation() { # MEMBERS
  printf '{"operation_id":"%s","account_id":"A-1","amount":250.00,"currency":"USD"%s}\n' "$id" "$1" \
    >"$work/operation.json"
}
probe() { # NAME [arguments]
  run "$1" --probe-profile "$work/profile.yaml" --operation-json "$work/operation.json" "${@:2}"
}
operation ''

probe shown
same 'without --send: 0' 0 "$status"
matches 'without --send: the request' "GET $provider_url/v1/credits\?key=$id" "$(<"$work/shown.out")"
matches 'without --send: the credential is masked' 'Authorization: Bearer \*\*\*' "$(<"$work/shown.out")"
matches 'without --send: says so' 'not sent' "$(<"$work/shown.out")"
same 'without --send: nothing is sent' 0 "$(requests)"

good "$id"
probe found --send
same 'found: 0' 0 "$status"
matches 'found: the row is ours' 'key +ours at "/key"' "$(<"$work/found.out")"
matches 'found: what fits' 'amount +"250" fits' "$(<"$work/found.out")"
matches 'found: the finding' 'finding: found' "$(<"$work/found.out")"
matches 'found: the verdict, and that it is not written' \
  'would be recorded: Succeeded \(proven\); nothing was written' "$(<"$work/found.out")"
same 'found: one request was sent' 1 "$(requests)"

tell "{\"key\":\"$id\",\"credits\":[{\"id\":\"a\",\"key\":\"$id\",\"amount\":\"1.00\",\"currency\":\"USD\",\"account\":\"B\",\"state\":\"odd\"}]}"
probe wrong --send
same 'another amount: 0' 0 "$status"
matches 'another amount: what does not fit' 'amount +"1" does not fit "250"' "$(<"$work/wrong.out")"
matches 'another account: what does not fit' 'account +"B" does not fit "A-1"' "$(<"$work/wrong.out")"
matches 'a state that the profile does not know' 'state +not listed in the profile' "$(<"$work/wrong.out")"
matches 'a mismatch goes to a person' 'NeedsReconciliation \(mismatch\)' "$(<"$work/wrong.out")"

# An answer that is no listing, an answer that repeats the credential, and no provider at all.
tell "{\"key\":\"$id\",\"body\":{\"error\":\"$credential\"}}"
probe odd --send
same 'an answer that the profile does not describe: 1' 1 "$status"
matches 'an answer that the profile does not describe: says what is missing' \
  'no rows: nothing at "/data"' "$(<"$work/odd.out")"
tell "{\"key\":\"$id\",\"status\":401,\"body\":{}}"
probe refused --send
same 'refused: 69' 69 "$status"
matches 'refused: the finding' 'finding: refused: status 401' "$(<"$work/refused.out")"
# The same with the operation from the database: only read, by a role that has only SELECT.
start_database
config[database.uri]=$(uri reader_login)
write_config
mapfile -t stored < <(add_operations 2)
good "${stored[0]}"
before=$(checksum)
run stored --probe-profile "$work/profile.yaml" --operation "${stored[0]}" --send
same 'from the database: 0' 0 "$status"
matches 'from the database: the verdict' 'would be recorded: Succeeded \(proven\)' "$(<"$work/stored.out")"
run stored_absent --probe-profile "$work/profile.yaml" --operation "${stored[1]}" --send
matches 'from the database: its own window counts' 'Unknown \(absent-so-far\)' "$(<"$work/stored_absent.out")"
run nobody --probe-profile "$work/profile.yaml" --operation "$id"
same 'not in the database: 1' 1 "$status"
matches 'not in the database: told' "no operation $id is visible" "$(<"$work/nobody.log")"
same 'every row is as it was' "$before" "$(checksum)"
start_standby
caught_up
config[database.uri]=$(uri reader_login "$standby_port")
write_config
run standby --probe-profile "$work/profile.yaml" --operation "${stored[0]}" --send
same 'from a standby: 0' 0 "$status"
same 'from a standby: the same words' "$(<"$work/stored.out")" "$(<"$work/standby.out")"

stop_provider
probe down --send
same 'the provider is down: 69' 69 "$status"
matches 'the provider is down: the finding' 'finding: unreachable' "$(<"$work/down.out")"

# What is wrong is told, with its place.
operation ',"created_at":"yesterday"'
probe time
same 'a time that is none: 78' 78 "$status"
matches 'a time that is none: named' 'created_at: is no time' "$(<"$work/time.log")"
sed -i 's/paging: {kind: none}/paging: {kind: nonee}/' "$work/profile.yaml"
probe profile
same 'a faulty profile: 78' 78 "$status"
matches 'a faulty profile: its line, column and the nearest word' \
  'profile.yaml:[0-9]+:[0-9]+: lookup.paging.kind: .*did you mean none' "$(<"$work/profile.log")"
run usage --probe-profile "$work/profile.yaml"
same 'without an operation: 64' 64 "$status"

# Every shipped profile writes its request, and none needs a configuration for that.
for shipped in "$source_dir"/etc/providers.d/*.yaml; do
  operation ',"provider_context":{"charge":"c","customer":"c","gift_card":"c","ledger":"c","ledger_account":"c","wallet":"c","account":"c","destination_account":"c","balance_account":"c"}'
  "$daemon" --probe-profile "$shipped" --operation-json "$work/operation.json" >"$work/one.out" 2>"$work/one.log"
  same "$(basename "$shipped"): a request is shown" 1 "$(grep -c '^GET http' "$work/one.out")"
done
same 'a tenant secret in a profile is masked' 0 \
  "$("$daemon" --probe-profile "$source_dir/etc/providers.d/killbill-payment-transaction.yaml" \
    --operation-json "$work/operation.json" | grep -c CHANGE-ME)"
same 'the credential is in no output' '' "$(cat "$work"/*.out "$work"/*.log | grep -F "$credential")"
