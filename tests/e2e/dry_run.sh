#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G11: a dry run shows what a pass would do and writes nothing, for a role that has only SELECT,
# on a primary and on a standby.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[database.uri]=$(uri reader_login)
write_config

mapfile -t proven < <(add_operations 3)
mapfile -t absent < <(add_operations 2 '-1 day')
mapfile -t early < <(add_operations 1)
mapfile -t others < <(add_operations 2)
good "${proven[@]}"
{
  printf '{"key":"%s","credits":[{"id":"a","key":"%s","amount":"1.00","currency":"USD","account":"A-1","state":"posted"}]}\n' \
    "${others[0]}" "${others[0]}"
  printf '{"key":"%s","status":500,"body":{}}\n' "${others[1]}"
} | script
before=$(checksum)

# What the run says of an operation, "finding decision reason": NAME ID
says() {
  node -e 'const wanted = process.argv[1];
    for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n")) {
      const one = JSON.parse(line);
      if (one.operation_id === wanted) console.log(one.finding, one.decision, one.reason);
    }' "$2" <"$work/$1.out"
}
shows_all() { # NAME
  same "$1: a line for each" 8 "$(grep -c . "$work/$1.out")"
  for id in "${proven[@]}"; do
    same "$1: would be Succeeded" 'found Succeeded proven' "$(says "$1" "$id")"
  done
  same "$1: absent after the window" 'absent NeedsReconciliation absent-after-window' \
    "$(says "$1" "${absent[0]}")"
  same "$1: absent before its end" 'absent Unknown absent-so-far' "$(says "$1" "${early[0]}")"
  same "$1: mismatch" 'found NeedsReconciliation mismatch' "$(says "$1" "${others[0]}")"
  same "$1: no answer" 'no-answer Unknown no-answer' "$(says "$1" "${others[1]}")"
}

run json --dry-run --output json
same 'json: 0' 0 "$status"
shows_all json
run table --dry-run
same 'table: 0' 0 "$status"
matches 'table: a heading' '^OPERATION' "$(head -n1 "$work/table.out")"
matches 'table: a sum' '8 due: .*nothing was written' "$(tail -n1 "$work/table.out")"
same 'after two dry runs every row is as it was' "$before" "$(checksum)"

asked_before=$(requests)
run asking --dry-run --no-lookup --output json
same '--no-lookup: 0' 0 "$status"
same '--no-lookup: no request was sent' "$asked_before" "$(requests)"
same '--no-lookup: nothing is claimed to be found' 'null null null' "$(says asking "${proven[0]}")"

# Rows that somebody holds are no obstacle, and the run holds nothing itself.
hold "SELECT FROM operations FOR UPDATE; SELECT FROM recovery_evidence FOR UPDATE"
run held --dry-run --output json
same 'while all rows are locked: 0' 0 "$status"
shows_all held
let_go

start_standby
caught_up
config[database.uri]=$(uri reader_login "$standby_port")
write_config
run standby --dry-run --output json
same 'on a standby: 0' 0 "$status"
shows_all standby
config[database.uri]=$(uri reader_login)
write_config
sql -c 'ALTER ROLE reader_login SET default_transaction_read_only = on'
run readonly --dry-run --output json
same 'with default_transaction_read_only: 0' 0 "$status"
shows_all readonly

# A role that may see nothing is told so; one that could write does not.
config[database.uri]=$(uri blind)
write_config
sql -c 'CREATE ROLE blind LOGIN'
run blind --dry-run
matches 'a role that sees nothing: refused' '^77$' "$status"
config[database.uri]=$(uri postgres)
write_config
run superuser --dry-run --output json
same 'as a superuser: 0' 0 "$status"
same 'as a superuser nothing is written either' "$before" "$(checksum)"
config[database.uri]=$(uri reader_login)
write_config

# Pipes: more lines than a pipe holds.
sql -c 'BEGIN' -c 'CREATE TEMP TABLE few ON COMMIT DROP AS TABLE operations' -c "INSERT INTO operations
  SELECT gen_random_uuid(), issuer, gen_random_uuid(), caller_id, account_id, amount, currency, status,
    owner_version, owner_token, lease_until, submit_by, created_at
  FROM few, generate_series(1, 1000)" -c 'COMMIT'
"$daemon" --config "$work/reconciled.yaml" --dry-run --no-lookup --output json 2>"$work/head.log" |
  head -n1 >"$work/head"
same '| head -1: ends quietly' '0 ' "${PIPESTATUS[0]} $(<"$work/head.log")"
matches '| head -1: the line is whole' '^\{.*\}$' "$(<"$work/head")"
"$daemon" --config "$work/reconciled.yaml" --dry-run --no-lookup >/dev/full 2>"$work/full.log"
matches '>/dev/full: fails' '^[1-9]' "$?"
matches '>/dev/full: says so' 'stdout' "$(<"$work/full.log")"
"$daemon" --config "$work/reconciled.yaml" --dry-run --no-lookup >&- 2>"$work/closed.log"
matches '>&-: fails' '^[1-9]' "$?"

# Nobody to ask: told, and not waited for once for each of thousands.
stop_provider
run down --dry-run
same 'the provider is down: 69' 69 "$status"
matches 'the provider is down: says so' 'provider' "$(cat "$work/down.log")"
config[database.uri]=$(uri reader_login 1)
write_config
run gone --dry-run
same 'the database is down: 69' 69 "$status"
nothing_is_broken
