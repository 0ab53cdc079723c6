#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G9 with a backend that has received its statement and has not begun its transaction: a debugger
# stops it there, no lock tells of it, and no timeout of the server's runs. Meanwhile the grant's row
# is swept. The claim leaves nothing; without the mark's trigger the grant is spent twice.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

readonly name='a backend stopped between its statement and its transaction'
command -v gdb >/dev/null || { skip "$name" 'gdb is not installed' && exit; }
start_database

# One connection, whose next statement is read from a pipe: its backend can be found before.
connect() {
  coproc client {
    PGOPTIONS='-c search_path=reconciled -c role=reconciled_admission' \
      psql --no-psqlrc -qAt -v VERBOSITY=sqlstate "$direct" 2>&1
  }
  printf 'SELECT pg_backend_pid();\n' >&"${client[1]}"
  read -r backend <&"${client[0]}"
}

disconnect() {
  # shellcheck disable=SC2154 # coproc sets it
  local ending=$client_PID
  printf '\\q\n' >&"${client[1]}"
  wait "$ending"
}

# Attaches, and stops the backend at its next transaction until the file `go` is there.
stop_at_transaction() {
  rm -f "$work/attached" "$work/stopped" "$work/go"
  gdb -q -nx -batch -p "$backend" -ex 'break StartTransactionCommand' \
    -ex "shell touch $work/attached" -ex continue -ex "shell touch $work/stopped" \
    -ex "shell until [ -e $work/go ]; do sleep 0.02; done" -ex detach >"$work/gdb" 2>&1 </dev/null &
  debugger=$!
  at_end "touch $work/go"
  until_true attached_or_gone
  grep -q 'Breakpoint 1 at' "$work/gdb"
}
attached_or_gone() { [[ -e $work/attached ]] || gone "$debugger"; }

admit() { # OPERATION
  printf "SELECT outcome FROM admit_token_grant('issuer-1', 'grant-1', now() + interval '10 minutes',
    '%s', 'caller-1', 'A-1', 250, 'USD');\n" "$1"
}

sweep() {
  sql -c 'SET ROLE reconciled_retention' \
    -c "UPDATE cleanup_mark SET cut_off = greatest(cut_off, now() + interval '1 hour')" \
    -c "DELETE FROM grant_consumptions WHERE retain_until < now() + interval '1 hour'"
}

held_admission() { # the second one of a grant that is spent and archived: sets state and told
  admit "$(</proc/sys/kernel/random/uuid)" >&"${client[1]}"
  until_true test -e "$work/stopped" || give_up "$name" <"$work/gdb"
  state=$(sql -F ' ' -c "SELECT state, xact_start IS NULL, backend_xmin IS NULL, query LIKE
    'SELECT outcome%' FROM pg_stat_activity WHERE pid = $backend")
  sweep
  touch "$work/go"
  read -r told <&"${client[0]}"
}

spend_and_archive() {
  sql -c 'SET ROLE reconciled_admission' -c "$(admit "$(</proc/sys/kernel/random/uuid)")"
  sql -c 'DELETE FROM operations'
}

same 'the grant is spent once' Admitted "$(spend_and_archive)"
connect
stop_at_transaction || { skip "$name" "gdb cannot attach: $(grep -m1 . "$work/gdb")" && exit; }
held_admission
disconnect
same 'it is held: its statement has come, no transaction and no snapshot' 'active t t t' "$state"
same 'its claim raises RC001' 'ERROR:  RC001' "$told"
same 'and leaves nothing' '0 0' "$(count grant_consumptions) $(count operations)"

sql -c 'DROP TRIGGER grant_consumptions_above_mark ON grant_consumptions'
same 'without the trigger: spent once' Admitted "$(spend_and_archive)"
connect
stop_at_transaction
held_admission
same 'without the trigger: held in the same way' 'active t t t' "$state"
same 'without the trigger: the grant is admitted twice' 'Admitted 1 1' \
  "$told $(count grant_consumptions) $(count operations)"
