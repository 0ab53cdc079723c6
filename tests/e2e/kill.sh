#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G12: kill -9 at the moments where it could hurt: while the lookup runs, between lookup and record,
# and between the record's commit and its acknowledgement. The next owner finishes, once.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
start_proxy pg postgres "127.0.0.1:$database_port"
default_config
short_leases
config[database.uri]=$(uri daemon_login "$proxy_port")
write_config
same 'the short timings are safe' 0 "$("$daemon" --config "$work/reconciled.yaml" --check-config \
  >"$work/checked" 2>&1; echo $?)"

unfinished() { count "operations WHERE status = 'Admitted'"; }
forget() { sql -c 'TRUNCATE operations, recovery_evidence'; tell '{"forget":true}'; }

# Whoever comes next: waits for the leases that the dead one left, and finishes.
finish_all() { # NAME
  start_daemon "$1"
  until_true counts "operations WHERE status = 'Succeeded'" 10
}

no_lease_was_broken() { # NAME; reads the killed one's leases from "left"
  same "$1" 0 "$(count "recovery_evidence AS e JOIN left_behind AS l USING (operation_id)
    WHERE e.owner_version = 3 AND e.observed_at < l.lease_until")"
}
leave() { sql -c 'SET client_min_messages = warning; DROP TABLE IF EXISTS left_behind' \
  -c 'CREATE TABLE left_behind AS TABLE operations'; }

# 1. While the lookup runs: the takeover is committed, nothing else is.
mapfile -t ids < <(add_operations 10)
tell '{"cut":"never"}'
start_daemon first
until_true asked 10
kill -KILL "${pids[first]}"
await_end first
same 'killed in the lookup: owned, and nothing recorded' '10 Admitted 2 owned' "$(summary)"
same 'killed in the lookup: no evidence yet' 0 "$(count recovery_evidence)"
leave
tell '{"forget":true}'
good "${ids[@]}"
finish_all second
same 'killed in the lookup: the next one finishes all' '10 Succeeded 3 free' "$(summary)"
same 'killed in the lookup: exactly one evidence row each' 10 "$(count recovery_evidence)"
no_lease_was_broken 'killed in the lookup: nobody took over before the lease had ended'
end_daemon second TERM
same 'the next one stops with 0' 0 "$status"
nothing_is_broken

# 2. The answers are in, the record never arrives.
forget
mapfile -t ids < <(add_operations 10)
good "${ids[@]}"
hold 'LOCK TABLE recovery_evidence IN SHARE ROW EXCLUSIVE MODE' # the takeover reads it all the same
start_daemon third
until_true counts "pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'daemon_login'" 1
kill -KILL "${pids[third]}"
await_end third
# The server does not notice a client's death in a lock wait; its statement_timeout ends it.
until_true counts "pg_stat_activity WHERE usename = 'daemon_login'" 0
let_go
same 'killed before the record: owned, and nothing recorded' '10 Admitted 2 owned' "$(summary)"
leave
finish_all fourth
same 'killed before the record: the next one finishes all' '10 Succeeded 3 free' "$(summary)"
same 'killed before the record: exactly one evidence row each' 10 "$(count recovery_evidence)"
no_lease_was_broken 'killed before the record: nobody took over before the lease had ended'
end_daemon fourth TERM
nothing_is_broken

# 3. The record is committed, its acknowledgement is not there yet.
forget
mapfile -t ids < <(add_operations 10)
good "${ids[@]}"
proxy pg hold_answer statement=record >/dev/null
start_daemon fifth
same 'the record is committed' ok "$(proxy pg wait 1)"
kill -KILL "${pids[fifth]}"
await_end fifth
proxy pg reset >/dev/null
proxy pg pass >/dev/null
recorded=$(count "operations WHERE status = 'Succeeded'")
matches 'killed after the commit: something is recorded' '^([1-9]|10)$' "$recorded"
same 'killed after the commit: with its evidence' "$recorded" "$(count recovery_evidence)"
before=$(sql -c "SELECT md5(string_agg(o::text, '' ORDER BY o::text)) FROM operations AS o
  WHERE owner_version = 2 AND status = 'Succeeded'")
finish_all sixth
same 'killed after the commit: exactly one evidence row each' 10 "$(count recovery_evidence)"
same 'killed after the commit: what was recorded stays as it is' "$before" "$(sql -c "
  SELECT md5(string_agg(o::text, '' ORDER BY o::text)) FROM operations AS o
  WHERE owner_version = 2 AND status = 'Succeeded'")"
same 'nothing is left' 0 "$(unfinished)"
end_daemon sixth TERM
nothing_is_broken
