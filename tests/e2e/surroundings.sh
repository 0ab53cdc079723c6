#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the parts around have done to others (cases B32 to B34, see tests/cases.md): the resolver,
# YAML and the locale, with the whole daemon.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
write_config
metrics_port=$((20000 + (RANDOM + $$) % 12000))
metrics() { curl --silent --fail --max-time 60 "http://127.0.0.1:$metrics_port/metrics"; }

# --- B33: numbers, booleans, durations and duplicates in YAML ------------------------------------
check() { # FILE
  "$daemon" --config "$1" --check-config >"$work/check" 2>&1
}
faulty() { # SECTION KEY VALUE: in the whole file's place of that section
  printf 'provider: {profile: %s}\n%s:\n  %s: %s\n' "$work/profile.yaml" "$1" "$2" "$3" >"$work/faulty.yaml"
  check "$work/faulty.yaml"
  same "B33: $2: $3: 78" 78 "$?"
  matches "B33: $2: $3: where and which" "faulty.yaml:[0-9]+:[0-9]+: $1.$2: " "$(<"$work/check")"
}
for value in 010 0x2 1_000 2.0; do faulty database connections "$value"; done
for value in 1:00 60 .inf -5s '5 m' '""'; do faulty timings execution_lease "$value"; done
faulty recovery poll_interval 0s
for value in no '"true"' 1; do faulty recovery enabled "$value"; done
faulty timings '<<' '{lease_margin: 4s}'
printf 'provider: {profile: %s}\ntimings:\n  lease_margin: 4s\n  lease_margin: 5s\n' "$work/profile.yaml" >"$work/twice.yaml"
check "$work/twice.yaml"
same 'B33: a duplicate key in a section: 78' 78 "$?"
matches 'B33: a duplicate key in a section: where' 'twice.yaml:4:3: timings.lease_margin: duplicate' "$(<"$work/check")"
printf 'log: {level: info}\n%s\n\nlog: {level: info}\n' "provider: {profile: $work/profile.yaml}" >"$work/twice.yaml"
check "$work/twice.yaml"
same 'B33: a duplicate key at the top: 78' 78 "$?"
matches 'B33: a duplicate key at the top: where' 'twice.yaml:4:1: log: duplicate key' "$(<"$work/check")"
sed 's|^  key: .*|&\n  key: {at: /other}|' "$source_dir/tests/support/profile.yaml" >"$work/twice-profile.yaml"
printf 'provider: {profile: %s}\n' "$work/twice-profile.yaml" >"$work/faulty.yaml"
check "$work/faulty.yaml"
same "B33: a duplicate key in a profile's credits: 78" 78 "$?"
matches "B33: a duplicate key in a profile's credits: where" \
  'twice-profile.yaml:[0-9]+:3: credits.key: duplicate key' "$(<"$work/check")"

# --- B34: decimal comma --------------------------------------------------------------------------
mkdir "$work/locale"
without_times() { sed -E 's/"observed_at":"[^"]*"//; s/[0-9T:.-]{19,}Z?//'; }
if localedef -i de_DE -f UTF-8 "$work/locale/de_DE.UTF-8" 2>"$work/localedef"; then
  german() { env LOCPATH="$work/locale" LC_ALL=de_DE.UTF-8 "$@"; }
  same 'B34: the locale has a comma' , "$(german locale decimal_point)"
  mapfile -t ids < <(add_operations 4 '-2 days')
  sql -c "UPDATE operations SET amount = 19.95 WHERE operation_id = '${ids[2]}'"
  rest='"id":"cr_1","currency":"USD","account":"A-1","state":"posted"'
  says() { # ID ROWS
    tell "{\"key\":\"$1\",\"body\":\"{\\\"data\\\":[${2//\"/\\\"}]}\"}"
  }
  says "${ids[0]}" "{\"key\":\"${ids[0]}\",\"amount\":\"250.00\",$rest}"
  says "${ids[1]}" "{\"key\":\"${ids[1]}\",\"amount\":250.00,$rest}"
  says "${ids[2]}" "{\"key\":\"${ids[2]}\",\"amount\":19,$rest}"
  says "${ids[3]}" "{\"key\":\"other\",\"amount\":250.00,\"n\":1.5},{\"key\":\"${ids[3]}\",\"amount\":250.00,\"n\":1.5,$rest}"
  for verb in --print-config '--dry-run --output json' '--dry-run --output table'; do
    # shellcheck disable=SC2086 # several arguments
    env LC_ALL=C "$daemon" --config "$work/reconciled.yaml" $verb 2>/dev/null | without_times >"$work/plain"
    # shellcheck disable=SC2086
    german "$daemon" --config "$work/reconciled.yaml" $verb 2>/dev/null | without_times >"$work/comma"
    same "B34: $verb: the same output as in C" "$(<"$work/plain")" "$(<"$work/comma")"
    matches "B34: $verb: there is some" . "$(<"$work/comma")"
  done
  german "$daemon" --config "$work/reconciled.yaml" --once >/dev/null 2>"$work/comma.log"
  same 'B34: --once ends with 0' 0 "$?"
  same 'B34: each verdict is as in C' 'found Succeeded proven,found Succeeded proven,found NeedsReconciliation mismatch,found Succeeded proven,' \
    "$(for id in "${ids[@]}"; do evidence "$id" | tail -n1 | cut -d' ' -f2- | tr '\n' ,; done)"
  config[metrics.listen]=127.0.0.1:$metrics_port
  write_config
  env LOCPATH="$work/locale" LC_ALL=de_DE.UTF-8 "$daemon" --config "$work/reconciled.yaml" \
    >/dev/null 2>"$work/german.log" </dev/null &
  pids[german]=$!
  at_end "kill -KILL $!"
  add_good 1
  until_true counts "operations WHERE status = 'Succeeded'" 4
  until_true metrics
  metrics >"$work/metrics"
  matches 'B34: a point in the metrics' 'lookup_duration_seconds_sum 0\.[0-9]' "$(<"$work/metrics")"
  same 'B34: no comma in their numbers' '' "$(sed 's/{.*}//' "$work/metrics" | grep -v '^#' | grep ,)"
  end_daemon german TERM
else
  skip 'B34: a run under de_DE' "localedef: $(head -n1 "$work/localedef")"
fi
sql -c 'TRUNCATE operations, recovery_evidence'

nothing_is_broken

# --- B32: stopping while a name is being resolved ------------------------------------------------
# A name server that never answers, for longer than this test waits, in a mount namespace of its own.
printf 'nameserver 127.77.0.1\noptions timeout:30 attempts:5\n' >"$work/resolv.conf"
resolving() { # COMMAND..., in place of the shell
  # shellcheck disable=SC2016 # for the inner shell
  exec unshare --mount bash -c 'mount --bind "$0" /etc/resolv.conf && exec "$@"' "$work/resolv.conf" "$@"
}
if (resolving true) 2>"$work/unshare"; then
  node -e 'const socket = require("dgram").createSocket("udp4");
    let heard = 0;
    socket.on("message", () => require("fs").writeFileSync(process.argv[1], String(++heard)));
    socket.bind(53, "127.77.0.1", () => require("fs").writeFileSync(process.argv[1], "bound"));' \
    "$work/heard" &
  at_end "kill $!"
  until_true test -s "$work/heard"
  config[provider.base_url]=http://slow.example.com
  config[recovery.drain_timeout]=3s
  config[provider.connect_timeout]=1s
  write_config
  mapfile -t ids < <(add_operations 3)
  (resolving "$daemon" --config "$work/reconciled.yaml" --once) >/dev/null 2>"$work/names.log"
  same 'B32: --once ends, with what is undecided' 1 "$?"
  same 'B32: the look ends by connect_timeout' 'lookup unreachable Unknown unreachable' \
    "$(for id in "${ids[@]}"; do evidence "$id"; done | sort -u)"
  matches 'B32: the name server was asked' '^[0-9]+$' "$(cat "$work/heard")"
  config[provider.connect_timeout]=9s
  config[metrics.listen]=127.0.0.1:$metrics_port
  config[recovery.drain_timeout]=1s
  write_config
  for signals in 1 2; do
    sql -c 'TRUNCATE operations, recovery_evidence'
    mapfile -t ids < <(add_operations 3)
    : >"$work/heard"
    resolving "$daemon" --config "$work/reconciled.yaml" >/dev/null 2>"$work/names$signals.log" </dev/null &
    pids[names]=$!
    at_end "kill -KILL $!"
    until_true test -s "$work/heard"
    succeeds "B32: SIGTERM ($signals): the metrics answer meanwhile" metrics
    for ((sent = 0; sent < signals; sent++)); do kill -TERM "${pids[names]}"; done
    await_end names
    same "B32: SIGTERM ($signals) ends it before the name server would" 0 "$status"
    same "B32: SIGTERM ($signals): nothing is lost" 3 "$(count "operations WHERE status = 'Admitted'")"
    ((signals == 2)) || same 'B32: all are handed back' 3 \
      "$(count "operations WHERE owner_token IS NULL AND lease_until < clock_timestamp()")"
  done
else
  skip 'B32: the whole daemon with a resolver that never answers' "$(head -n1 "$work/unshare")"
fi
