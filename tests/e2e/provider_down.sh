#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The provider is down, throttles, or refuses (design section 4 and 5; cases.md B12, B14): nothing is
# burned, nothing is given up, nobody is flooded, and asking goes on by itself.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
short_leases
config[provider.timeout]=3s
config[provider.max_in_flight]=8
config[recovery.look_again_after]=200ms
config[recovery.look_again_at_most]=10s
config[recovery.give_up_after]=1ms
write_config

looks() { sql -c 'SELECT coalesce(sum(owner_version - 1), 0) FROM operations'; }
looked() { (($(looks) >= $1)); }
all_settled() { # NAME
  succeeds "$1: all are settled" until_true counts "operations WHERE status <> 'Succeeded'" 0
}

# Stopped, with many due whose window is long over.
stop_provider
mapfile -t ids < <(add_operations 200 '-2 days')
start_daemon main
succeeds 'stopped: the breaker opens' until_true logged main provider_unavailable
until_true looked $(($(looks) + 2))
taken=$(looks)
same 'stopped: few takeovers are burned' yes "$( ((taken <= 8 + 8)) && echo yes || echo "$taken")"
same 'stopped: it is told once' 1 "$(lines main provider_unavailable)"
same 'stopped: nothing is given up' 0 \
  "$(count "operations WHERE status NOT IN ('Admitted', 'Unknown')")"
start_provider
good "${ids[@]}"
all_settled 'back'
same 'back: it is told once' 1 "$(lines main provider_available)"

# B14: five failures, then the probe gets something odd; then all is well.
probe_gets() { # NAME LINE OF A SCRIPT
  local before
  before=$(lines main provider_unavailable)
  mapfile -t ids < <(add_operations 20 '-2 days' '1 hour')
  good "${ids[@]}"
  tell '{"cut":"before-answer"}'
  due "${ids[@]}"
  succeeds "$1: the breaker opens" until_true logged main provider_unavailable $((before + 1))
  printf '%s\n' '{"forget":true}' "$2" | script
  all_settled "$1"
  same "$1: every opening has its end" "$(lines main provider_unavailable)" \
    "$(lines main provider_available)"
}
probe_gets 'probe 404' '{"status":404,"body":{},"times":1}'
probe_gets 'probe 429' '{"status":429,"body":{},"headers":{"Retry-After":"1"},"times":1}'
probe_gets 'probe html' '{"body":"<html>","type":"text/html","times":1}'
probe_gets 'probe silence' '{"cut":"never","times":1}'

# One operation's odd answers are its own.
opened=$(lines main provider_unavailable)
tell '{"forget":true}'
mapfile -t ids < <(add_operations 50)
good "${ids[@]:1}"
tell "{\"key\":\"${ids[0]}\",\"body\":\"<html>\",\"type\":\"text/html\"}"
until_true counts "operations WHERE status <> 'Succeeded'" 1
odd_looks() { (($(count "recovery_evidence WHERE operation_id = '${ids[0]}'") >= 6)); }
until_true odd_looks
same 'one odd operation: the breaker stays closed' "$opened" "$(lines main provider_unavailable)"
same 'one odd operation: it is Unknown' Unknown "$(column status "${ids[0]}")"
good "${ids[0]}"
tell '{"forget":true}'
all_settled 'one odd operation'

# B12: at most about one request a second, whatever Retry-After says.
clock() { sql -c 'SELECT floor(extract(epoch FROM clock_timestamp()))'; }
throttled() { # NAME HEADERS [PROBES]
  local first begun
  mapfile -t ids < <(add_operations 20 '-2 days' '1 hour')
  good "${ids[@]}"
  tell "{\"status\":429,\"body\":{},\"headers\":{$2}}"
  first=$(requests)
  begun=$(clock)
  due "${ids[@]}"
  until_true asked $((first + 8 + ${3:-3})) # what was in flight, and the probes
  same "$1: no hot loop" yes "$( (($(requests) - first <= 8 + 2 + $(clock) - begun)) && echo yes)"
  same "$1: nothing is given up" 0 "$(count "operations WHERE status = 'NeedsReconciliation'")"
  same "$1: no wait beyond look_again_at_most and jitter" 0 "$(count "operations
    WHERE status = 'Unknown' AND lease_until > clock_timestamp() + interval '15 seconds'")"
  tell '{"forget":true}'
  all_settled "$1"
}
throttled 'past date' '"Retry-After":"Mon, 01 Jan 2024 00:00:00 GMT"'
throttled 'negative' '"Retry-After":"-5"'
throttled 'words' '"Retry-After":"soon"'
throttled 'zero' '"Retry-After":"0"'
throttled 'none' ''
throttled 'an epoch for seconds' '"Retry-After":"1764540000"' 1 # fifty-six years, clamped to ten seconds

# 401: the credential is read again once, and if that does not help the provider is left alone.
last_token() { curl --silent "$provider_url/_ledger" | tail -n1 | grep -o 'Bearer [^"]*'; }
printf 'sk_rotated\n' >"$work/credential"
tell '{"status":401,"body":{},"times":1}'
mapfile -t ids < <(add_operations 1 '1 hour' '1 hour')
good "${ids[@]}"
due "${ids[@]}"
all_settled 'rotated'
same 'rotated: at the first attempt' 2 "$(column owner_version "${ids[0]}")"
same 'rotated: with the new credential' 'Bearer sk_rotated' "$(last_token)"
opened=$(lines main provider_unavailable)
tell '{"status":401,"body":{}}'
mapfile -t ids < <(add_operations 20 '-2 days')
good "${ids[@]}"
succeeds 'refused: told' until_true logged main provider_unavailable $((opened + 1))
tell '{"forget":true}'
all_settled 'refused'
end_daemon main TERM
same 'it stops with 0' 0 "$status"
nothing_is_broken
