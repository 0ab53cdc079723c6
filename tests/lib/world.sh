# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# A small world for tests of the daemon as a black box: a PostgreSQL with the contract, a scripted
# provider, a configuration file, and looks into all of them. Source it after scripted.sh.

readonly daemon=$build_dir/reconciled
cluster=$source_dir/tests/support/cluster
credential=sk_canary_7f3a9c
declare -A config=() # the file's keys; write_config turns them into YAML
declare -A pids=()   # daemons by name
postgres_options=()
status=0             # of what ended last

give_up() { # NAME, why on stdin: nothing after it could be judged
  not_ok "$1"
  exit 1
}
for program in reconciled tests/test_provider tests/cut_proxy; do
  [[ -x $build_dir/$program ]] || give_up "$program is built" <<<"it is not in $build_dir"
done

# --- PostgreSQL ---------------------------------------------------------------------------------

start_database() { # with postgres_options, if there are any
  "$cluster" start "$work/pg" "${postgres_options[@]}" 2>"$work/pg-trouble" ||
    give_up 'PostgreSQL starts' <"$work/pg-trouble"
  at_end "$cluster stop $work/pg immediate"
  database_port=$(<"$work/pg/port")
  direct=$("$cluster" url "$work/pg")
  psql --no-psqlrc -q "$direct" -f "$source_dir/sql/install.sql" -v ON_ERROR_STOP=1 &&
    sql -c 'CREATE ROLE daemon_login LOGIN' -c 'CREATE ROLE reader_login LOGIN' \
      -c 'GRANT reconciled_recovery, reconciled_retention, reconciled_operator TO daemon_login' \
      -c 'GRANT reconciled_reader TO reader_login'
}

sql() { # psql arguments: as the superuser, past every proxy
  PGOPTIONS='-c search_path=reconciled,public' \
    psql --no-psqlrc -qAt -v ON_ERROR_STOP=1 "$direct" "$@"
}

# A transaction that stays open, with locks: hold SQL, then let_go.
hold() {
  coproc holder { psql --no-psqlrc -qAt "$direct"; }
  printf 'SET search_path = reconciled; BEGIN; %s;\n\\echo held\n' "$1" >&"${holder[1]}"
  until read -r told <&"${holder[0]}" && [[ $told == held ]]; do :; done
}

let_go() {
  local ending=$holder_PID
  printf 'ROLLBACK;\n\\q\n' >&"${holder[1]}"
  wait "$ending"
}

uri() { # USER [PORT [DATABASE]]
  printf 'postgresql://%s@127.0.0.1:%s/%s' "$1" "${2:-$database_port}" "${3:-postgres}"
}

# A hot standby of start_database's server: sets standby_port. It follows by streaming.
start_standby() {
  local bin
  bin=$(dirname "$(readlink -f "/proc/$(head -n1 "$work/pg/data/postmaster.pid")/exe")")
  mkdir "$work/standby"
  "$bin/pg_basebackup" --dbname "$direct" --pgdata "$work/standby/data" --wal-method stream \
    --checkpoint fast --write-recovery-conf 2>"$work/standby-trouble" ||
    give_up 'a standby is copied' <"$work/standby-trouble"
  sed -i "s|^unix_socket_directories = .*|unix_socket_directories = '$work/standby'|" \
    "$work/standby/data/postgresql.conf"
  chown -R --reference "$work/pg/data" "$work/standby"
  "$cluster" start "$work/standby" 2>"$work/standby-trouble" ||
    give_up 'a standby starts' <"$work/standby-trouble"
  at_end "$cluster stop $work/standby immediate"
  # shellcheck disable=SC2034 # for the scripts
  standby_port=$(<"$work/standby/port")
}

# The standby has replayed what the primary has written so far.
caught_up() {
  local written
  written=$(sql -c 'SELECT pg_current_wal_lsn()')
  until_true same_word t "psql --no-psqlrc -qAt '$(uri postgres "$standby_port")' -c \
    \"SELECT pg_last_wal_replay_lsn() >= '$written'\""
}
same_word() { [[ $(eval "$2") == "$1" ]]; } # WORD COMMAND

# From now on USER needs a password.
require_password() { # USER PASSWORD
  sql -c "ALTER ROLE $1 PASSWORD '$2'"
  local hba=$work/pg/data/pg_hba.conf rules
  rules=$(<"$hba")
  printf 'host all %s 127.0.0.1/32 scram-sha-256\n%s\n' "$1" "$rules" >"$hba"
  sql -c 'SELECT pg_reload_conf()' >/dev/null
  until_true refused_without_password "$1"
}
refused_without_password() { ! psql --no-psqlrc -w -qAt "$(uri "$1")" -c 'SELECT 1'; }

# --- the provider -------------------------------------------------------------------------------

start_provider() { # again after a stop: same port
  rm -f "$work/provider-port"
  "$build_dir/tests/test_provider" --port-file "$work/provider-port" --port "${provider_port:-0}" \
    >>"$work/provider-log" 2>&1 &
  provider_pid=$!
  at_end "kill $provider_pid"
  until_true test -s "$work/provider-port" || give_up 'the provider starts' <"$work/provider-log"
  provider_port=$(<"$work/provider-port")
  provider_url=http://127.0.0.1:$provider_port
}

stop_provider() { kill "$provider_pid" && wait "$provider_pid"; }

script() { # lines on stdin, see tests/support/test_world.hpp
  curl --silent --show-error --fail --max-time 60 --data-binary @- "$provider_url/_control" >"$work/told"
}

tell() { script <<<"$1"; }

good() { # ID...: the provider holds exactly the credit that each operation asked for
  local id
  for id; do
    printf '{"key":"%s","credits":[{"id":"cr_%s","key":"%s","amount":"250.00","currency":"USD",' \
      "$id" "${id:0:8}" "$id"
    printf '"account":"A-1","state":"posted"}]}\n'
  done | script
}

# Requests so far; the ledger has a line for each.
requests() { curl --silent --max-time 60 "$provider_url/_ledger" | grep -c . ; }
asked() { (($(requests) >= $1)); } # COUNT: at least so many

start_proxy() { # NAME postgres|http UPSTREAM: sets proxy_port
  "$build_dir/tests/cut_proxy" serve "$2" "$3" "$work/$1.control" >"$work/$1.port" 2>>"$work/$1.log" &
  at_end "kill $!"
  until_true test -S "$work/$1.control"
  until_true test -s "$work/$1.port"
  # shellcheck disable=SC2034 # for the scripts
  proxy_port=$(<"$work/$1.port")
}

proxy() { # NAME COMMAND...: see tests/support/proxy_control.hpp
  "$build_dir/tests/cut_proxy" tell "$work/$1.control" "${@:2}"
}

# --- the daemon ---------------------------------------------------------------------------------

write_profile() { cp "$source_dir/tests/support/profile.yaml" "$work/profile.yaml"; }

default_config() {
  printf '%s\n' "$credential" >"$work/credential"
  write_profile
  config=(
    [instance]=e2e
    [database.uri]=$(uri daemon_login)
    [provider.profile]=$work/profile.yaml
    [provider.base_url]=$provider_url
    [provider.credential_file]=$work/credential
    [recovery.poll_interval]=1s
    [retention.consumptions]=false
    [log.format]=json
    [metrics.listen]='""'
  )
}

# A lease as short as a test can wait for, and still long enough for a slow machine.
short_leases() {
  config[provider.timeout]=5s
  config[database.statement_timeout]=2s
  config[recovery.drain_timeout]=3s
  config[timings.recovery_lease]=12s
  config[timings.lease_margin]=1s
  agree_on_timings
}

agree_on_timings() { # contract_timings says what the file says
  local key
  for key in "${!config[@]}"; do
    if [[ $key == timings.* ]]; then
      sql -c "UPDATE contract_timings SET ${key#timings.} = '${config[$key]}'"
    fi
  done
}

write_config() {
  local key section=''
  while read -r key; do
    if [[ $key != *.* ]]; then
      printf '%s: %s\n' "$key" "${config[$key]}"
      continue
    fi
    if [[ ${key%%.*} != "$section" ]]; then
      section=${key%%.*}
      printf '%s:\n' "$section"
    fi
    printf '  %s: %s\n' "${key#*.}" "${config[$key]}"
  done < <(printf '%s\n' "${!config[@]}" | sort) >"$work/reconciled.yaml"
}

start_daemon() { # NAME [arguments]: its log is $work/NAME.log
  "$daemon" --config "$work/reconciled.yaml" "${@:2}" >"$work/$1.out" 2>"$work/$1.log" </dev/null &
  pids[$1]=$!
  at_end "kill -KILL $!"
}

run() { # NAME [arguments]: to its end; sets status
  "$daemon" --config "$work/reconciled.yaml" "${@:2}" >"$work/$1.out" 2>"$work/$1.log" </dev/null
  status=$?
}

end_daemon() { # NAME SIGNAL: sets status
  kill "-$2" "${pids[$1]}"
  await_end "$1"
}

await_end() { # NAME: sets status
  until_true gone "${pids[$1]}" || kill -KILL "${pids[$1]}"
  wait "${pids[$1]}" 2>/dev/null
  status=$?
}

gone() { [[ ! -e /proc/$1 || $(cut -d' ' -f3 "/proc/$1/stat") == Z ]]; }

lines() { grep -c "\"event\":\"$2\"" "$work/$1.log"; }           # NAME EVENT
logged() { (($(lines "$1" "$2") >= ${3:-1})); }                  # NAME EVENT [COUNT]: at least so many
event() { grep "\"event\":\"$2\"" "$work/$1.log" | tail -n1; }   # NAME EVENT: the last one

# --- operations ---------------------------------------------------------------------------------

add_operations() { # COUNT [WINDOW [DUE]], both counted from now; prints their ids
  sql -c "INSERT INTO operations (operation_id, issuer, grant_id, caller_id, account_id, amount,
      currency, status, lease_until, submit_by, created_at)
    SELECT gen_random_uuid(), 'issuer', gen_random_uuid(), 'caller', 'A-1', 250.00, 'USD',
      'Admitted', now() + interval '${3:--1 minute}', now() + interval '${2:-1 hour}',
      now() - interval '2 minutes'
    FROM generate_series(1, $1) RETURNING operation_id"
}

due() { # ID...: from now on
  sql -c "UPDATE operations SET lease_until = now()
    WHERE operation_id = ANY ('{$(IFS=, && echo "$*")}')"
}

add_good() { # COUNT: into `ids`; none is due before the provider has its credit
  mapfile -t ids < <(add_operations "$1" '1 hour' '1 hour')
  good "${ids[@]}"
  due "${ids[@]}"
}

column() { # COLUMN ID
  sql -c "SELECT $1 FROM operations WHERE operation_id = '$2'"
}

summary() { # "count status owner_version owned|free", a line each
  sql -F ' ' -c "SELECT count(*), status, owner_version,
      CASE WHEN owner_token IS NULL THEN 'free' ELSE 'owned' END
    FROM operations GROUP BY 2, 3, 4 ORDER BY 2, 3, 4"
}

evidence() { # ID: "step finding decision reason", a line each
  sql -F ' ' -c "SELECT step, coalesce(finding, '-'), decision, coalesce(reason, '-')
    FROM recovery_evidence WHERE operation_id = '$1' ORDER BY evidence_id"
}

count() { # TABLE AND CONDITION
  sql -c "SELECT count(*) FROM $1"
}

counts() { (($(count "$1") == $2)); } # TABLE AND CONDITION, NUMBER

checksum() { # of every row of operations and of evidence
  sql -c "SELECT md5(coalesce(string_agg(o::text, '' ORDER BY o::text), '')) FROM operations o" \
    -c "SELECT md5(coalesce(string_agg(e::text, '' ORDER BY e::text), '')) FROM recovery_evidence e"
}

# What holds after every case (design section 2), whatever it was.
nothing_is_broken() {
  same 'afterwards: no row is Failed' 0 "$(count "operations WHERE status = 'Failed'")"
  same 'afterwards: one evidence row a verdict' 0 "$(count "(
    SELECT FROM recovery_evidence
    WHERE decision IN ('Succeeded', 'Unknown', 'NeedsReconciliation') AND step = 'lookup'
    GROUP BY operation_id, owner_version, owner_token HAVING count(*) > 1) AS twice")"
  same 'afterwards: each decided row has its evidence' 0 "$(count "operations AS o
    WHERE status IN ('Succeeded', 'NeedsReconciliation') AND 1 <> (
      SELECT count(*) FROM recovery_evidence AS e
      WHERE e.operation_id = o.operation_id AND e.decision = o.status)")"
  same 'afterwards: no defect was logged' '' "$(cat "$work"/*.log | grep -i defect)"
  same 'afterwards: the credential is in no log and no evidence' '' "$(
    { cat "$work"/*.log "$work"/*.out && sql -c 'SELECT * FROM recovery_evidence'; } 2>/dev/null |
      grep -F "$credential")"
}
