#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G12: the acknowledgement of a takeover, of a record and of a handback is lost on the way. That is
# no error: the daemon reads back what became of it and carries on.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
start_proxy pg postgres "127.0.0.1:$database_port"
default_config
config[database.uri]=$(uri daemon_login "$proxy_port")
write_config

settled() { # NAME COUNT
  succeeds "$1: settled" until_true counts "operations WHERE status = 'Succeeded'" "$2"
  same "$1: at the first attempt" "$2 Succeeded 2 free" "$(summary)"
  same "$1: exactly one evidence row each" "$2" "$(count recovery_evidence)"
}

mapfile -t ids < <(add_operations 10)
good "${ids[@]}"
proxy pg lose_answer statement=take_over >/dev/null
start_daemon main
same 'takeover: its answer is lost' ok "$(proxy pg wait 1)"
settled 'takeover' 10
same 'takeover: each was asked once' 10 "$(requests)"

proxy pg lose_answer statement=record >/dev/null
add_good 10
same 'record: its answer is lost' ok "$(proxy pg wait 2)"
settled 'record' 20
same 'record: no operation was asked twice' "$(requests)" "$(curl -s "$provider_url/_ledger" |
  grep -o '"key":"[^"]*"' | sort -u | wc -l)"

# Both, and the request as well as the answer.
for fault in lose_request lose_answer; do
  for statement in take_over record next_due read_back_record; do
    proxy pg "$fault" "statement=$statement" >/dev/null
    if [[ $statement == read_back_record ]]; then
      proxy pg lose_answer statement=record times=1 >/dev/null
    fi
    add_good 3
    until_true counts "operations WHERE status = 'Succeeded'" \
      "$(count operations)"
  done
done
settled 'every statement in turn' 44
same 'ownership was never lost' 0 "$(lines main ownership_lost)"
matches 'it was told as a doubt about the database' '"level":"warn"' "$(event main database_lost)"
same 'and every time as over again' "$(lines main database_lost)" "$(lines main database_back)"
end_daemon main TERM
same 'it stops with 0' 0 "$status"
nothing_is_broken

# A handback whose acknowledgement is lost has happened all the same.
config[recovery.drain_timeout]=100ms
write_config
tell '{"cut":"never"}'
mapfile -t ids < <(add_operations 2)
asked_before=$(requests)
start_daemon leaver
until_true asked $((asked_before + 2))
proxy pg lose_answer statement=hand_back >/dev/null
end_daemon leaver TERM
same 'handback: it stops with 0' 0 "$status"
same 'handback: both are free' 2 \
  "$(count "operations WHERE status = 'Admitted' AND owner_token IS NULL")"
same 'handback: one evidence row each' 2 "$(count "recovery_evidence WHERE step = 'handback'")"
