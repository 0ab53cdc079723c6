#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --once (cases.md B39, B29): everything that was due at its start, each asked at most once, then
# the end, with an exit code that tells whether all is decided.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

postgres_options=(-c max_prepared_transactions=5)
start_database
start_provider
default_config
config[recovery.look_again_after]=10ms
write_config
fresh() {
  sql -c 'TRUNCATE operations, recovery_evidence'
  tell '{"forget":true}'
}
# Requests for each operation asked, the most of any: since FIRST, counted from 0.
most_asked() {
  curl --silent "$provider_url/_ledger" | tail -n "+$(($1 + 1))" | grep -o '"key":"[^"]*"' |
    sort | uniq -c | sort -rn | awk 'NR == 1 {print $1}'
}

run nothing --once
same 'nothing is due: 0' 0 "$status"

# 5 pending, 1 always 500, 20 good; all slow enough that the undecided are due again meanwhile.
mapfile -t ids < <(add_operations 26)
good "${ids[@]}"
for id in "${ids[@]:0:5}"; do
  printf '{"key":"%s","credits":[{"id":"cr_p","key":"%s","amount":"250.00","currency":"USD",' "$id" "$id"
  printf '"account":"A-1","state":"pending"}]}\n'
done | script
tell '{"delay_ms":300}'
tell "{\"key\":\"${ids[5]}\",\"status\":500,\"body\":{}}"
run mixed --once
same 'some undecided: 1' 1 "$status"
same 'some undecided: the rest is settled' $'20 Succeeded 2 free\n6 Unknown 2 free' "$(summary)"
same 'some undecided: each was asked once' '26 1' "$(requests) $(most_asked 0)"
same 'some undecided: the reasons' $'1 no-answer\n5 pending' "$(sql -F ' ' -c "SELECT count(*), reason
  FROM recovery_evidence WHERE decision = 'Unknown' GROUP BY 2 ORDER BY 2")"

fresh
asked_before=$(requests)
mapfile -t ids < <(add_operations 200)
good "${ids[@]}"
run good --once
same 'only good ones: 0' 0 "$status"
same 'only good ones: all settled' '200 Succeeded 2 free' "$(summary)"
same 'only good ones: each was asked once' '200 1' \
  "$(($(requests) - asked_before)) $(most_asked "$asked_before")"

# Two at the same moment, then one beside a daemon.
fresh
asked_before=$(requests)
mapfile -t ids < <(add_operations 200)
good "${ids[@]}"
tell '{"delay_ms":50}'
start_daemon left --once
start_daemon right --once
await_end left
left=$status
await_end right
matches 'two together: each ends with 0 or 1' '^[01] [01]$' "$left $status"
run rest --once
same 'two together: all settled' '200 Succeeded 2 free' "$(summary)"
same 'two together: each was asked once' '200 1' \
  "$(($(requests) - asked_before)) $(most_asked "$asked_before")"
same 'two together: exactly one evidence row each' 200 "$(count recovery_evidence)"
start_daemon beside
until_true logged beside started
mapfile -t ids < <(add_operations 100)
good "${ids[@]}"
run besides --once
matches 'beside a daemon: 0 or 1' '^[01]$' "$status"
until_true counts "operations WHERE status = 'Succeeded'" 300
same 'beside a daemon: settled once each' 300 "$(count recovery_evidence)"
end_daemon beside TERM

# New rows all the time, due at once, do not keep it alive.
fresh
mapfile -t ids < <(add_operations 5)
good "${ids[@]}"
tell '{"delay_ms":100}'
(while add_operations 5 '1 hour'; do :; done) >"$work/stream" 2>&1 &
stream=$!
at_end "kill $stream"
until_true counts '(SELECT FROM operations LIMIT 20) AS first_ones' 20
run streamed --once
matches 'a stream of new rows, due already, does not keep it alive' '^1$' "$status"
kill "$stream"
wait "$stream" 2>/dev/null
matches 'the stream had not ended' '^[1-9]' "$(count "operations WHERE owner_version = 1")"
nothing_is_broken

# B29: a lock that nobody holds.
fresh
mapfile -t ids < <(add_operations 20)
good "${ids[@]}"
sql -c 'BEGIN' -c "SELECT FROM operations WHERE operation_id = '${ids[0]}' FOR UPDATE" \
  -c "PREPARE TRANSACTION 'forgotten'" >/dev/null
run orphan --once
same 'an orphaned lock: ends with 1' 1 "$status"
same 'an orphaned lock: the others are settled' $'1 Admitted 1 free\n19 Succeeded 2 free' "$(summary)"
sql -c "ROLLBACK PREPARED 'forgotten'"
run released --once
same 'released: 0' 0 "$status"
same 'released: settled' '20 Succeeded 2 free' "$(summary)"
nothing_is_broken
