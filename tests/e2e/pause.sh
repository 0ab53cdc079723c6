#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G1: a daemon that was paused past its lease writes nothing, although the one that took over has
# the same name (cases.md B40).
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
short_leases
config[instance]=twin
write_config

mapfile -t ids < <(add_operations 20)
good "${ids[@]}"
tell '{"delay_ms":1500}'
start_daemon paused
until_true asked 20
kill -STOP "${pids[paused]}"
same 'it was stopped while it owned them' '20 Admitted 2 owned' "$(summary)"

tell '{"forget":true}'
start_daemon other
until_true counts "operations WHERE status = 'Succeeded'" 20
same 'another with the same name settles them after the lease' '20 Succeeded 3 free' "$(summary)"
before=$(checksum)
taken=$(requests)

kill -CONT "${pids[paused]}"
succeeds 'ownership_lost for each' until_true logged paused ownership_lost 20
same 'at info' 20 "$(grep -c '"level":"info","event":"ownership_lost"' "$work/paused.log")"
matches 'with the version that was lost' '"owner_version":2' "$(event paused ownership_lost)"
same 'it recorded nothing' 0 "$(lines paused recorded)"
same 'rows and evidence are as they were' "$before" "$(checksum)"
same 'nothing was asked again' "$taken" "$(requests)"

end_daemon other TERM
same 'the other stops with 0' 0 "$status"
add_good 1
succeeds 'the paused one still works' until_true counts "operations WHERE status = 'Succeeded'" 21
same 'at its first attempt' '1 Succeeded 2 free' "$(summary | head -n1)"
end_daemon paused TERM
same 'and stops with 0' 0 "$status"
nothing_is_broken
