#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G13 (cases.md B42): neither the provider's credential nor the database's password shows anywhere,
# not even when the peer repeats them.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
password='pw_canary%41&5b2e'
encoded='pw_canary%2541%265b2e'
require_password daemon_login "$password"
config[database.uri]=postgresql://daemon_login:$encoded@127.0.0.1:$database_port/postgres
config[log.level]=trace
config[provider.timeout]=2s
config[recovery.look_again_after]=100ms
write_config

# What the peer says: a status and a body, a line each.
echoes() {
  local said="Bearer $credential"
  printf '%s\n' \
    "400 {\"error\":\"invalid header Authorization: $said\"}" \
    "401 {\"error\":\"$said is not known\"}" \
    "403 {\"error\":\"$said may not\"}" \
    "429 \"$said\"" \
    "500 \"$said\"" \
    "302 {\"$said\":1}" \
    "200 {\"$said\":{}}" \
    "200 {\"data\":\"$said\"}" \
    "200 $said" \
    "200 {\"data\":[{\"key\":\"KEY\",\"$said\":\"$said\",\"amount\":\"$said\"}],\"auth\":\"$said\"}" \
    "200 {\"data\":[{\"id\":\"cr_1\",\"key\":\"KEY\",\"amount\":\"250.00\",\"currency\":\"$said\",\"account\":\"$said\",\"state\":\"$said\"}]}"
}
headers="{\"X-Echo\":\"Bearer $credential\",\"WWW-Authenticate\":\"Bearer $credential\",\"Location\":\"/$credential\"}"
forbidden() { # stdin: lines with a secret
  grep -aF -e "$credential" -e "$(printf %s "$credential" | base64)" -e 'pw_canary'
}

# Each in a run of its own, so that no breaker keeps one from being asked.
number=0
while read -r code body; do
  number=$((number + 1))
  mapfile -t ids < <(add_operations 1 '-2 days')
  body=${body//KEY/${ids[0]}}
  quoted=$(node -e 'console.log(JSON.stringify(process.argv[1]))' "$body")
  tell "{\"key\":\"${ids[0]}\",\"status\":$code,\"headers\":$headers,\"body\":$quoted}"
  run "echo-$number" --once
  same "an echo ($number, $code): nothing in the log" '' "$(forbidden <"$work/echo-$number.log")"
  same "an echo ($number, $code): it was recorded" 1 \
    "$(count "recovery_evidence WHERE operation_id = '${ids[0]}'")"
  for verb in '--output json' '--output table'; do
    sql -c "UPDATE operations SET lease_until = now() - interval '1 s', status = 'Unknown'"
    # shellcheck disable=SC2086 # two arguments
    run dry --dry-run $verb
    same "an echo ($number, $code): nothing in a dry run, $verb" '' \
      "$(cat "$work/dry.log" "$work/dry.out" | forbidden)"
  done
  sql -c 'TRUNCATE operations'
done < <(echoes)
same 'nothing in evidence' '' "$(sql -c 'TABLE recovery_evidence' | forbidden)"

run printed --print-config
same '--print-config ends with 0' 0 "$status"
same 'nothing in --print-config' '' "$(cat "$work/printed.out" "$work/printed.log" | forbidden)"
run checked --check-config
same 'nothing in --check-config' '' "$(cat "$work/checked.out" "$work/checked.log" | forbidden)"
matches 'a password in the URI is warned about' 'password' "$(cat "$work/checked.out")"

start_daemon main
until_true logged main started
same 'nothing in the process list' '' "$(tr '\0' ' ' <"/proc/${pids[main]}/cmdline" | forbidden)"
same 'nothing in pg_stat_activity' '' "$(sql -c 'TABLE pg_stat_activity' | forbidden)"
same 'no core dump' 0 "$(awk '/^Max core file size/ {print $5}' "/proc/${pids[main]}/limits")"
"$cluster" stop "$work/pg" immediate
until_true logged main database_lost
"$cluster" start "$work/pg"
until_true logged main database_back
end_daemon main TERM
same 'nothing in the log of a database outage' '' "$(forbidden <"$work/main.log")"

# Refused: the wrong password, and a server that is not there.
for wrong in "${encoded}x@127.0.0.1:$database_port" "$encoded@127.0.0.1:1"; do
  config[database.uri]=postgresql://daemon_login:$wrong/postgres
  write_config
  run wrong --once
  matches "refused: with a code of its own" '^(69|77)$' "$status"
  same 'refused: nothing in the message' '' "$(forbidden <"$work/wrong.log")"
done
sed -i 's/^  level: .*/  level: loud/' "$work/reconciled.yaml"
run faulty --once
same 'a faulty file: 78, and nothing in the report' '78 ' "$status $(forbidden <"$work/faulty.log")"
nothing_is_broken
