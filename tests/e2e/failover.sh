#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Failover and restore as users run them (faults.md D5 to D8): two servers with streaming replication
# and both in database.uri. What was acknowledged before a synchronous failover, and what a backup
# holds, is there afterwards: a grant that was spent stays spent. After an asynchronous failover that
# lost its tail the lost operations are settled again, and nothing of the lost time is applied.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

bin_of() { dirname "$(readlink -f "/proc/$(head -n1 "$1/data/postmaster.pid")/exe")"; } # FOLDER
as_server() { setpriv --reuid "$(stat -c %u "$work/pg/data")" --regid "$(stat -c %g "$work/pg/data")" --clear-groups "$@"; }

# A copy of the server of `direct`, running, in $work/NAME: copy NAME PORT-VARIABLE [pg_basebackup options]
copy() {
  local name=$1 variable=$2 from=$work/$1
  shift 2
  mkdir "$from"
  "$bin/pg_basebackup" --dbname "$direct" --pgdata "$from/data" --wal-method stream \
    --checkpoint fast "$@" 2>"$work/$name-trouble" || give_up "$name is copied" <"$work/$name-trouble"
  sed -i "s|^unix_socket_directories = .*|unix_socket_directories = '$from'|" "$from/data/postgresql.conf"
  chown -R --reference "$work/pg/data" "$from"
  "$cluster" start "$from" 2>"$work/$name-trouble" || give_up "$name starts" <"$work/$name-trouble"
  at_end "$cluster stop $from immediate"
  printf -v "$variable" '%s' "$(<"$from/port")"
}

promote() { # NAME: from now on it is the server that `sql` talks to
  (cd / && as_server "$bin/pg_ctl" promote --pgdata "$work/$1/data" --wait --silent)
  direct=$("$cluster" url "$work/$1")
}

follow() { # NAME PORT-VARIABLE: a standby of `direct`
  copy "$1" "$2" --write-recovery-conf
  until_true counts "pg_stat_replication WHERE state = 'streaming'" 1
}

synchronous() { # on | off
  sql -c "ALTER SYSTEM SET synchronous_standby_names = '$([[ $1 == on ]] && echo '*')'" -c 'SELECT pg_reload_conf()' >/dev/null
  if [[ $1 == on ]]; then until_true counts "pg_stat_replication WHERE sync_state = 'sync'" 1; fi
}

both() { # PORT PORT: a URI of two hosts
  printf 'postgresql://daemon_login@127.0.0.1:%s,127.0.0.1:%s/postgres' "$1" "$2"
}

# As a service admits. Prints the outcome and the detail.
admit() { # GRANT OPERATION
  sql -F ' ' -c "SELECT outcome, coalesce(detail, '-') FROM admit_token_grant('issuer', '$1',
    now() + interval '10 minutes', '$2', 'caller', 'A-1', 250.00, 'USD')"
}
uuid() { cat /proc/sys/kernel/random/uuid; }

spent_grants_stay_spent() { # NAME: the grant of `first` under another operation, then under its own
  same "$1: the grant is refused to another operation" 'Refused consumed' "$(admit "$grant" "$(uuid)")"
  matches "$1: its own operation is known" '^AlreadyAdmittedForThisOperation' "$(admit "$grant" "$first")"
}

recorded_ids() { # DAEMON: of the operations that it was acknowledged as settled
  grep '"event":"recorded"' "$work/$1.log" | grep '"status":"Succeeded"' |
    grep -o '"operation_id":"[^"]*"' | cut -d'"' -f4 | sort -u
}
unrecorded() { # ids on stdin: those of them that the database does not know as settled
  local ids
  ids=$(paste -sd,)
  sql -c "SELECT id FROM unnest('{$ids}'::uuid[]) AS id WHERE NOT EXISTS (SELECT FROM operations AS o
    JOIN recovery_evidence AS e USING (operation_id, owner_version)
    WHERE operation_id = id AND status = 'Succeeded' AND decision = 'Succeeded')"
}
settled() { counts "operations WHERE status = 'Succeeded'" "$(count operations)"; }

start_database
bin=$(bin_of "$work/pg")
start_provider
default_config
config[database.statement_timeout]=2s
config[database.connect_timeout]=2s
short_leases
config[provider.timeout]=8s # longer than the slow lookup, and what follows from that
config[timings.recovery_lease]=15s
agree_on_timings
second_port='' third_port='' physical_port='' # set by name

# --- D6: a synchronous failover, in full flight ---------------------------------------------------

follow second second_port
synchronous on
config[database.uri]=$(both "$database_port" "$second_port")
write_config
grant=$(uuid) first=$(uuid)
same 'sync: a grant is admitted' 'Admitted -' "$(admit "$grant" "$first")"
mapfile -t ids < <(add_operations 60 '1 hour' '1 hour')
good "${ids[@]}" "$first"
for id in "${ids[@]}"; do printf '{"key":"%s","delay_ms":%d}\n' "$id" $((RANDOM % 700 + 100)); done | script
start_daemon sync
until_true logged sync started
due "${ids[@]}"
until_true logged sync recorded 10
"$cluster" stop "$work/pg" immediate
acknowledged=$(recorded_ids sync)
in_flight=$((60 - $(wc -l <<<"$acknowledged")))
promote second
succeeds "sync: with $in_flight of 60 open, all are settled on the promoted server" until_true \
  counts "operations WHERE status = 'Succeeded'" 60
same 'sync: every settlement that was acknowledged is there' '' "$(unrecorded <<<"$acknowledged")"
spent_grants_stay_spent sync
succeeds 'sync: the daemon lost the database and has it back' until_true logged sync database_back
nothing_is_broken

# --- D7: the synchronous standby is gone ----------------------------------------------------------

follow third third_port
synchronous on
"$cluster" stop "$work/third" immediate
mapfile -t ids < <(PGOPTIONS='-c synchronous_commit=local' psql --no-psqlrc -qAt "$direct" -c "SET search_path = reconciled" -c "
  INSERT INTO operations (operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status,
    lease_until, submit_by, created_at)
  SELECT gen_random_uuid(), 'issuer', gen_random_uuid(), 'caller', 'A-1', 250.00, 'USD', 'Admitted',
    now() + interval '1 hour', now() + interval '2 hours', now() - interval '2 minutes'
  FROM generate_series(1, 5) RETURNING operation_id")
good "${ids[@]}"
lost_before=$(lines sync database_lost)
PGOPTIONS='-c synchronous_commit=local' psql --no-psqlrc -qAt "$direct" -c "UPDATE reconciled.operations
  SET lease_until = now() WHERE status = 'Admitted' AND operation_id = ANY ('{$(IFS=, && echo "${ids[*]}")}')"
succeeds 'no standby: a commit that waits is given up and told' until_true \
  logged sync database_lost $((lost_before + 1))
same 'no standby: the daemon lives' 0 "$(gone "${pids[sync]}" && echo 1 || echo 0)"
"$cluster" start "$work/third"
until_true counts "pg_stat_replication WHERE sync_state = 'sync'" 1
succeeds 'no standby: all are settled when it is back' until_true \
  counts "operations WHERE status = 'Succeeded' AND operation_id = ANY ('{$(IFS=, && echo "${ids[*]}")}')" 5
end_daemon sync TERM
same 'no standby: it stops with 0' 0 "$status"
nothing_is_broken

# --- D5: an asynchronous failover that loses its tail ---------------------------------------------

synchronous off
config[database.uri]=$(both "$second_port" "$third_port")
write_config
old=$direct
until_true same_word t "psql --no-psqlrc -qAt '$(uri postgres "$third_port")' -c \
  \"SELECT pg_last_wal_replay_lsn() >= '$(sql -c 'SELECT pg_current_wal_lsn()')'\""
mapfile -t ids < <(add_operations 20 '1 hour' '1 hour')
slow=${ids[0]}
good "${ids[@]}"
tell "{\"key\":\"$slow\",\"delay_ms\":6000}"
caught=$(sql -c 'SELECT pg_current_wal_lsn()')
due "${ids[@]}"
until_true same_word t "psql --no-psqlrc -qAt '$(uri postgres "$third_port")' -c \
  \"SELECT pg_last_wal_replay_lsn() > '$caught'\""
until_true same_word 20 "psql --no-psqlrc -qAt '$(uri postgres "$third_port")' -c \
  \"SELECT count(*) FROM reconciled.operations WHERE lease_until <= now() AND status = 'Admitted'\""
# It no longer follows. (A stopped walreceiver would still read what stands in its socket.)
psql --no-psqlrc -qAt "$(uri postgres "$third_port")" -c "ALTER SYSTEM SET primary_conninfo = ''" \
  -c 'SELECT pg_reload_conf()' >/dev/null
until_true counts pg_stat_replication 0
start_daemon async
succeeds 'async: nineteen are settled in the time that will be lost' until_true logged async recorded 19
"$cluster" stop "$work/second" immediate
promote third
lost=$(recorded_ids async | unrecorded | wc -l)
same 'async: acknowledged settlements were lost with the tail' 1 "$((lost > 0))"
succeeds "async: the $lost that were lost are settled again" until_true settled
succeeds 'async: what the lost time had taken over is not finished by it' until_true logged async ownership_lost
same 'async: the slow one was settled under the token of the new time' 1 \
  "$(count "recovery_evidence WHERE operation_id = '$slow' AND decision = 'Succeeded'")"
spent_grants_stay_spent async
end_daemon async TERM
nothing_is_broken

# --- D8: the server that was left is writable again -----------------------------------------------

config[database.uri]=$(both "$second_port" "$third_port")
"$cluster" start "$work/second"
same 'split: both servers take writes' 'f f' "$(psql --no-psqlrc -qAt "$old" -c 'SELECT pg_is_in_recovery()') $(sql -c 'SELECT pg_is_in_recovery()')"
asked_before=$(requests)
new=$direct direct=$old
mapfile -t left < <(add_operations 1)
direct=$new
write_config
run split --once
asked=$(curl --silent "$provider_url/_ledger" | tail -n +$((asked_before + 1)))
matches 'split: an operation of the old one is asked about' "${left[0]}" "$asked"
same 'split: on the old one a pass only looks, and changes nothing at the provider' '' \
  "$(grep -v '"method":"GET"' <<<"$asked")"
"$cluster" stop "$work/second" immediate

# --- a restore from a backup ----------------------------------------------------------------------

swept=$(uuid)
sql -c "INSERT INTO grant_consumptions (issuer, grant_id, operation_id, consumed_at, retain_until)
  VALUES ('issuer', '$swept', '$(uuid)', now() - interval '2 days', now() - interval '1 day')"
config[database.uri]=$(uri daemon_login "$third_port")
config[retention.consumptions]=true
write_config
run sweep --once
same 'restore: an old consumption row was swept before' 0 "$(count "grant_consumptions WHERE grant_id = '$swept'")"
mapfile -t ids < <(add_operations 3 '1 hour' '1 hour')
good "${ids[@]}"
copy physical physical_port
sql -c 'CREATE DATABASE logical'
"$bin/pg_dump" "$direct" >"$work/dump.sql" 2>"$work/dump-trouble" &&
  psql --no-psqlrc -q -v ON_ERROR_STOP=1 "${direct%/postgres}/logical" -f "$work/dump.sql" >/dev/null
same 'restore: the dump is read without an error' 0 "$?"
third=$direct
for kind in physical logical; do
  if [[ $kind == physical ]]; then
    direct=$("$cluster" url "$work/physical") port=$physical_port database=postgres
  else
    direct=${third%/postgres}/logical port=$third_port database=logical
  fi
  spent_grants_stay_spent "$kind backup"
  sql -c "SELECT admit_token_grant('issuer', '$swept', now() - interval '1 day', gen_random_uuid(), 'caller',
    'A-1', 250.00, 'USD')" >"$work/seen" 2>&1
  matches "$kind backup: a grant whose row was swept is refused, too" 'Refused|RC001' "$(<"$work/seen")"
  due "${ids[@]}"
  config[database.uri]=$(uri daemon_login "$port" "$database")
  write_config
  run "restored-$kind" --once
  same "$kind backup: the daemon works with it" '0 3' "$status $(count "operations WHERE status = 'Succeeded'
    AND operation_id = ANY ('{$(IFS=, && echo "${ids[*]}")}')")"
  same "$kind backup: the mark is there" t "$(sql -c "SELECT cut_off > '-infinity' FROM cleanup_mark")"
  nothing_is_broken
done
