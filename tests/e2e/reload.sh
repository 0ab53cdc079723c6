#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SIGHUP (cases.md B41, B38): the whole new configuration or nothing of it, and the log tells which.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[recovery.poll_interval]=500ms
write_config
cp "$work/reconciled.yaml" "$work/good.yaml"
start_daemon main
until_true logged main started

settle_one() {
  add_good 1
  until_true counts "operations WHERE status = 'Succeeded'" "$(count operations)"
}
reload() { # EVENT: SIGHUP, and waits for one more of these
  local before
  before=$(lines main "$1")
  kill -HUP "${pids[main]}"
  until_true logged main "$1" $((before + 1))
}
token() { # that the provider was sent last
  curl --silent "$provider_url/_ledger" | tail -n1 | grep -o 'Bearer [^"]*'
}
rejected() { # NAME PATTERN...: the event holds each; and nothing changed
  local name=$1 pattern
  shift
  reload config_rejected
  for pattern; do matches "$name: says $pattern" "$pattern" "$(event main config_rejected)"; done
  settle_one
  same "$name: the level is the old one" 0 "$(lines main taken_over)"
  same "$name: the credential is the old one" "Bearer $credential" "$(token)"
  same "$name: nothing was reloaded" 0 "$(lines main config_reloaded)"
}

# (a) a relation of design section 8 breaks
config[log.level]=debug
config[provider.timeout]=100s
write_config
rejected 'unsafe' 'recovery_lease - lease_margin' '100s'

# every fault at once
config[provider.timeout]=10
config[recovery.pol_interval]=1s
config[database.connections]=010
write_config
rejected 'faulty' 'provider.timeout' 'recovery.pol_interval' 'recovery.poll_interval' \
  'database.connections' 'reconciled.yaml:[0-9]+:[0-9]+'

# (c) the profile is broken, the file is good
cp "$work/good.yaml" "$work/reconciled.yaml"
sed -i 's/^log:/log:\n  level: debug/' "$work/reconciled.yaml"
sed -i 's/settled: \[posted\]/setled: [posted]/' "$work/profile.yaml"
rejected 'profile' 'profile.yaml:[0-9]+:[0-9]+' 'setled'
write_profile

# (d) there is no file
mv "$work/reconciled.yaml" "$work/away.yaml"
rejected 'missing' 'reconciled.yaml'
mv "$work/away.yaml" "$work/reconciled.yaml"

# B38: an empty credential
printf 'sk_new_1\n' >"$work/credential"
: >"$work/credential"
rejected 'empty credential' 'credential'
printf 'sk_new_1\r\n' >"$work/credential"

# (b) good, and one key needs a restart; the credential is new
sed -i '/^database:/a\  connections: 4' "$work/reconciled.yaml"
reload config_reloaded
matches 'good: names the key that needs a restart' '"needs_restart":"database.connections"' \
  "$(event main config_reloaded)"
matches 'good: names what changed' '"changed":"[^"]*log.level' "$(event main config_reloaded)"
settle_one
succeeds 'good: the new level is in force' logged main taken_over
same 'good: the new credential is in use' 'Bearer sk_new_1' "$(token)"
same 'good: and is in no line of the log' '' "$(grep -F sk_new_1 "$work/main.log")"

# (e) ten times within 50 lookups
asked_before=$(requests)
tell '{"delay_ms":500}'
mapfile -t ids < <(add_operations 50)
good "${ids[@]}"
until_true asked $((asked_before + 1))
for _ in {1..10}; do kill -HUP "${pids[main]}"; done
succeeds 'ten: no operation is lost' until_true \
  counts "operations WHERE status = 'Succeeded' AND owner_version = 2" "$(count operations)"
same 'ten: and ownership neither' 0 "$(lines main ownership_lost)"

# recovery.enabled: false stops takeovers, true starts them again.
tell '{"forget":true}'
sed '/^recovery:/r /dev/stdin' "$work/reconciled.yaml" <<<'  enabled: false' >"$work/off.yaml"
cp "$work/reconciled.yaml" "$work/on.yaml"
cp "$work/off.yaml" "$work/reconciled.yaml"
reload config_reloaded
matches 'off: it is named' 'recovery.enabled' "$(event main config_reloaded)"
mapfile -t ids < <(add_operations 1)
good "${ids[@]}"
cp "$work/on.yaml" "$work/reconciled.yaml"
same 'off: not taken over before the next reload' 1 "$(column owner_version "${ids[0]}")"
reload config_reloaded
succeeds 'on: settled' until_true counts "operations WHERE status = 'Succeeded'" "$(count operations)"
end_daemon main TERM
same 'it stops with 0' 0 "$status"
nothing_is_broken
