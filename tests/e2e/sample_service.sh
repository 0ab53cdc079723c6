#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The contract from outside C++: two instances of a service in Node, which share nothing but the
# database. A grant is good once, whoever is asked and whoever has been restarted.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

secret=issuer_canary_51d2
declare -A services=() ports=()
installed=$("$source_dir/tests/support/npm_ci" "$source_dir/tests/sample" sample 2>"$work/npm") ||
  give_up 'npm installs what the sample needs' <"$work/npm"
start_database
start_provider
sql -c 'CREATE ROLE sample_login LOGIN IN ROLE reconciled_admission' \
  -c 'CREATE ROLE revoker_login LOGIN IN ROLE reconciled_revocation' \
  -c "CREATE TABLE orders (item text CHECK (item <> 'poison'))" -c 'GRANT INSERT ON orders TO sample_login'

start_service() { # NAME [PORT of the database]
  rm -f "$work/$1.port"
  DATABASE_URL=$(uri sample_login "${2:-}") REVOCATION_URL=$(uri revoker_login "${2:-}") \
    PROVIDER_URL=$provider_url ISSUER_SECRET=$secret \
    node "$source_dir/tests/sample/service.mjs" "$installed" "$work/$1.port" \
    >"$work/$1.out" 2>>"$work/$1.log" &
  services[$1]=$!
  at_end "kill ${services[$1]}"
  until_true test -s "$work/$1.port" || give_up "service $1 starts" <"$work/$1.log"
  ports[$1]=$(<"$work/$1.port")
}

restart_service() { # NAME: as a crash would end it
  kill -KILL "${services[$1]}"
  wait "${services[$1]}" 2>/dev/null
  start_service "$1"
}

base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
token() { # GRANT [MINUTES]: as the issuer signs it
  local payload
  payload=$(printf '{"issuer":"issuer-1","grant_id":"%s","expires_at":"%s"}' "$1" \
    "$(date -u -d "${2:-10} minutes" +%FT%TZ)" | base64url)
  printf '%s.%s' "$payload" \
    "$(printf %s "$payload" | openssl dgst -sha256 -hmac "$secret" -binary | base64url)"
}

post() { # NAME PATH BODY [curl arguments]: "TOLD STATUS"
  curl --silent --max-time 60 --write-out '%{http_code}' --data-binary "$3" "${@:4}" \
    "http://127.0.0.1:${ports[$1]}/$2" | tr '\n' ' '
}
credit() { # NAME TOKEN OPERATION [CALLER]
  post "$1" credits "$(printf '{"token":"%s","operation_id":"%s","caller":"%s","account":"A-1",
    "amount":"250.00","currency":"USD"}' "$2" "$3" "${4:-alice}")"
}
status_of() { # NAME OPERATION CALLER
  curl --silent --max-time 60 "http://127.0.0.1:${ports[$1]}/operations/$2?caller=$3"
}
new_id() { cat /proc/sys/kernel/random/uuid; }

start_service one
start_service two

# One grant to each in turn, and one instance restarted between.
first=$(new_id)
grant=$(token grant-1)
same 'one instance spends the grant' 'Succeeded 201' "$(credit one "$grant" "$first")"
same 'the other refuses it' 'refused 409' "$(credit two "$grant" "$(new_id)")"
restart_service one
same 'the first, restarted, refuses it too' 'refused 409' "$(credit one "$grant" "$(new_id)")"
same 'and both tell its own operation what became of it' 'Succeeded 200 Succeeded 200' \
  "$(credit one "$grant" "$first") $(credit two "$grant" "$first")"
same 'money moved once' '1 1' "$(requests) $(count operations)"
matches 'why is in the log of the service' "refused [-0-9a-f]{36}: consumed" "$(cat "$work/two.log")"

# Both at once.
grant=$(token grant-2)
{ credit one "$grant" "$(new_id)" >"$work/told-one" & credit two "$grant" "$(new_id)" >"$work/told-two"; wait $!; }
same 'of two at once one has it' $'Succeeded 201\nrefused 409' \
  "$(LC_ALL=C sort <(cat "$work/told-one" && echo) <(cat "$work/told-two" && echo))"

same 'a caller is told the status of its own operation' Succeeded "$(status_of two "$first" alice)"
same 'and nobody else is' 'no such operation' "$(status_of two "$first" mallory)"

# Revocation: the signed token proves that the grant was issued.
revoked=$(token grant-3)
same 'a token is revoked' 'revoked 200' "$(post one revocations "{\"token\":\"$revoked\"}")"
same 'once' 'too late 200' "$(post two revocations "{\"token\":\"$revoked\"}")"
same 'and is refused' 'refused 409' "$(credit two "$revoked" "$(new_id)")"
rows=$(count grant_consumptions)
start_service cut_off 9 # nobody listens there
same 'a revocation without proof of issuance is refused before any SQL' 'not a token of ours 403' \
  "$(post cut_off revocations '{"token":"eyJpc3N1ZXIiOiJpc3N1ZXItMSJ9.AAAA"}')"
same 'with proof it would have asked the database' 'unavailable 503' \
  "$(post cut_off revocations "{\"token\":\"$(token grant-4)\"}")"
same 'and so would a credit, whose provider is not called' 'unavailable 503 2' \
  "$(credit cut_off "$(token grant-4)" "$(new_id)") $(requests)"
same 'nothing was revoked' "$rows" "$(count grant_consumptions)"

# An instance that dies in its call: the daemon finds the credit.
default_config
write_config
died=$(new_id)
tell "{\"key\":\"$died\",\"delay_ms\":60000,\"times\":1}"
credit one "$(token grant-5)" "$died" >/dev/null &
until_true asked 3
restart_service one
due "$died"
run recovery --once
same 'what an instance left in its call is recovered' '0 Succeeded' "$status $(status_of one "$died" alice)"
same 'and money moved once' 3 "$(curl --silent "$provider_url/_ledger" | grep -c '"POST"')"

# Idempotency keys.
key=$(new_id)
order() { post "$1" orders "{\"user\":\"alice\",\"item\":\"$2\"}" -H "Idempotency-Key: $key"; }
same 'an order is carried out' 'ordered tea 201' "$(order one tea)"
same 'again, at the other instance, its answer is given again' 'ordered tea 201' "$(order two tea)"
same 'the key with another order is told apart' 'KeyReused 409' "$(order two milk)"
same 'there is one order' 1 "$(count orders)"
key=$(new_id)
same 'an order that fails gives its key back' 'unavailable 503 0' \
  "$(order one poison) $(count "idempotency_records WHERE idempotency_key = '$key'")"
start_proxy lossy postgres "127.0.0.1:$database_port"
start_service behind "$proxy_port"
proxy lossy lose_answer statement=COMMIT >/dev/null
key=$(new_id)
same 'an order whose commit is not acknowledged is known to be applied' 'applied 202' "$(order behind milk)"
same 'its answer was lost' ok "$(proxy lossy wait 1)"
same 'so it is told again, and done once' 'applied 202 1' \
  "$(order two milk) $(count "orders WHERE item = 'milk'")"

same 'the secret is in no log' '' "$(cat "$work"/*.log | grep -F "$secret")"
nothing_is_broken
