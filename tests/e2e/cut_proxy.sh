#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The fault proxy as a program, as other scripts use it.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"

cluster=$source_dir/tests/support/cluster
proxy=$build_dir/tests/cut_proxy
at_end "$cluster stop $work/pg immediate"
succeeds 'a server starts' "$cluster" start "$work/pg"
"$proxy" serve postgres "127.0.0.1:$(<"$work/pg/port")" "$work/control" >"$work/proxy-port" &
at_end "kill $!"
until_true test -S "$work/control"
until_true test -s "$work/proxy-port"

tell() { "$proxy" tell "$work/control" "$@"; }
through="postgresql://postgres@127.0.0.1:$(<"$work/proxy-port")/postgres"
direct=$("$cluster" url "$work/pg")
sql() { psql --no-psqlrc -qAt "$@" 2>&1; }

same 'what is not named passes' '' "$(sql "$through" -c 'CREATE TABLE kept (number int)')"
same 'a plan is accepted' ok "$(tell lose_answer 'statement=INSERT INTO kept')"
matches 'the answer is lost' 'connection' "$(sql "$through" -c 'INSERT INTO kept VALUES (1)')"
same 'it was counted' ok "$(tell wait 1)"
same 'and the row is there' 1 "$(sql "$direct" -c 'SELECT count(*) FROM kept')"
same 'a second plan is accepted' ok "$(tell lose_request statement=INSERT)"
matches 'the request is lost' 'connection' "$(sql "$through" -c 'INSERT INTO kept VALUES (2)')"
same 'and there is no second row' 1 "$(sql "$direct" -c 'SELECT count(*) FROM kept')"
matches 'the counts are told' '^ok connections=3 hits=2 ' "$(tell counts)"
matches 'a faulty command is an error' "^error: unknown command 'explode'" "$(tell explode)"
