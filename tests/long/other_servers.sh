#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Servers from npm that this project did not write: json-server lists a root array with Link headers
# and total; prism answers for ever with the one example of an OpenAPI document.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

recipe=$source_dir/tests/support/others
installed=$("$source_dir/tests/support/npm_ci" "$recipe" others 2>"$work/npm") ||
  give_up 'the servers are installed' <"$work/npm"
start_database
provider_url=http://127.0.0.1:9
default_config
last_evidence() { evidence "$1" | tail -n1; }
absent_is_final() { # ID: window and settle time are over
  sql -c "UPDATE operations SET submit_by = now() - interval '2 days' WHERE operation_id = '$1'"
}

# --- json-server ---------------------------------------------------------------------------------
node "$recipe/json_server.mjs" "$installed" "$work/json-port" >"$work/json-server" 2>&1 &
at_end "kill $!"
until_true test -s "$work/json-port" || give_up 'json-server starts' <"$work/json-server"
config[provider.base_url]=http://127.0.0.1:$(<"$work/json-port")
config[provider.profile]=$recipe/credits.yaml
write_config
create() { # OPERATION AMOUNT: json-server takes the key for a field like any other
  curl --silent --fail --max-time 60 --header 'Content-Type: application/json' --output "$work/created" \
    --header "Idempotency-Key: $1" "${config[provider.base_url]}/credits" --data \
    "{\"operation_id\":\"$1\",\"account\":\"A-1\",\"amount\":$2,\"currency\":\"USD\",\"state\":\"posted\"}"
}
mapfile -t ids < <(add_operations 5)
run empty --once
same 'json-server: an empty list proves nothing yet' 'lookup absent Unknown absent-so-far' \
  "$(last_evidence "${ids[0]}")"
for id in "${ids[@]:0:4}"; do create "$id" 25000; done # the last of them on the second page
create "${ids[3]}" 25000                               # sent again: another credit
create "${ids[2]}" 1
absent_is_final "${ids[4]}"
due "${ids[@]}"
run listed --once
same 'json-server: --once ends with 0' 0 "$status"
same 'json-server: on the first page: proven' 'lookup found Succeeded proven' "$(last_evidence "${ids[0]}")"
same 'json-server: all three pages were read' 3 \
  "$(sql -c "SELECT max(pages) FROM recovery_evidence WHERE operation_id = '${ids[0]}'")"
same 'json-server: sent again without idempotency: a duplicate' \
  'lookup found NeedsReconciliation duplicate' "$(last_evidence "${ids[3]}")"
same 'json-server: with another amount: a duplicate' \
  'lookup found NeedsReconciliation duplicate' "$(last_evidence "${ids[2]}")"
same 'json-server: on no page: absent' 'lookup absent NeedsReconciliation absent-after-window' \
  "$(last_evidence "${ids[4]}")"

# --- prism ---------------------------------------------------------------------------------------
"$installed/node_modules/.bin/prism" mock -h 127.0.0.1 -p 0 "$recipe/lago.json" >"$work/prism" 2>&1 &
at_end "kill $!"
until_true grep -q 'listening on' "$work/prism" || give_up 'prism starts' <"$work/prism"
config[provider.base_url]=$(grep -o 'listening on http://[0-9.:]*' "$work/prism" | cut -d' ' -f3)
config[provider.profile]=$source_dir/etc/providers.d/lago-wallet-transaction.yaml
write_config
wallet=985da83e-007c-4fbb-8dcb-2ade6e7c9e8c # the example's
in_wallet() { # NAME WALLET: one look at a new operation
  op=$(add_operations 1 '-2 days')
  sql -c "UPDATE operations SET amount = 10, provider_context = '{\"wallet\": \"$2\"}' WHERE operation_id = '$op'"
  run "$1" --once
}
in_wallet endless "$wallet"
same 'prism: pages without end are no absence' 'lookup incomplete Unknown incomplete' \
  "$(last_evidence "$op")"
matches 'prism: says why' '"why":"the listing loops: a cursor came twice after page 2"' \
  "$(event endless recorded)"
in_wallet refused not-a-wallet
same 'prism: a request that the document does not allow' \
  'lookup unintelligible Unknown unintelligible' "$(last_evidence "$op")"
sed 's/kind: bearer/kind: none/' "${config[provider.profile]}" >"$work/anonymous.yaml"
config[provider.profile]=$work/anonymous.yaml
write_config
in_wallet anonymous "$wallet"
same 'prism: without a credential: refused' 'lookup refused Unknown refused' "$(last_evidence "$op")"
nothing_is_broken
