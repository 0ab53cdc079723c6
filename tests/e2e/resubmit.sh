#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Creating again (design section 6) by the built daemon: kill -9 at every step, a process that slept
# past its lease, B17, a statement_timeout, and a reload. What the provider's ledger says counts.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
start_proxy pg postgres "127.0.0.1:$database_port"
default_config
cat >>"$work/profile.yaml" <<'END'
  not_processed: [{status: 503, with_header: Retry-After}]
create:
  method: POST
  path: /v1/credits
  headers: {Idempotency-Key: "{operation_id}"}
  body: {account: "{account_id}", amount: "{amount}", currency: "{currency}"}
  success: [200, 201]
END
# The service: no credit while there is a hold.
may_create() { # QUERY: gives the decision; h is the holds
  sql -c "CREATE OR REPLACE FUNCTION public.may_create(uuid)
    RETURNS TABLE (outcome text, decision_id text, reason text) LANGUAGE sql AS \$\$ $1 \$\$"
}
sql -c 'CREATE TABLE public.holds (reason text)' \
  -c 'GRANT SELECT ON public.holds TO reconciled_recovery'
by_holds="SELECT CASE WHEN count(*) > 0 THEN 'Denied' ELSE 'Allowed' END, 'd-1',
  coalesce(max(h.reason), 'no hold') FROM public.holds AS h"
may_create "$by_holds"
config[recovery.resubmit]=true
config[recovery.eligibility_function]=public.may_create
config[provider.timeout]=4s
config[database.statement_timeout]=2s
config[recovery.drain_timeout]=3s
config[timings.recovery_lease]=20s
config[timings.lease_margin]=1s
agree_on_timings
write_config
same 'the timings are safe' 0 "$("$daemon" --config "$work/reconciled.yaml" --check-config \
  >"$work/checked" 2>&1; echo $?)"
cp "$work/reconciled.yaml" "$work/direct.yaml"
sed -i "s|127.0.0.1:$database_port|127.0.0.1:$proxy_port|" "$work/reconciled.yaml"
cp "$work/reconciled.yaml" "$work/proxied.yaml"

ledger() { curl --silent --max-time 60 "$provider_url/_ledger"; }
posts() { ledger | grep '"method":"POST"' | grep -c "$operation"; }
posted() { (($(posts) >= $1)); } # COUNT: at least so many
credits() { # that the provider holds under this key
  curl --silent --max-time 60 "$provider_url/v1/credits?key=$operation" |
    grep -o '"state"' | grep -c .
}
story() { evidence "$operation" | paste -sd, | sed 's/,/, /g'; }
begin_case() { # sets operation
  operation=$(add_operations 1)
}
first_post() { # BEHAVIOUR: the next lookup's answer is as it should be, and this one the create's
  printf '{"key":"%s","times":1,%s\n' "$operation" '"delay_ms":0}' "$operation" "${1#\{}" | script
}
# What time would do: the lease of whoever died is over.
end_lease() {
  sql -c "UPDATE operations SET lease_until = now() WHERE operation_id = '$operation'" \
    -c "UPDATE recovery_evidence SET detail = detail || jsonb_build_object('lease_until', now())
      WHERE operation_id = '$operation' AND detail ? 'lease_until'"
}
is_status() { [[ $(column status "$operation") == "$1" ]]; }
told() { [[ $(story) == *"$1"* ]]; }
killed() { # NAME
  kill -KILL "${pids[$1]}"
  await_end "$1"
  proxy pg reset >/dev/null
  proxy pg pass >/dev/null
  until_true counts "pg_stat_activity WHERE usename = 'daemon_login'" 0
}
next_one() { # NAME [STATUS]: whoever comes next, to the end
  end_lease
  start_daemon "$1"
  succeeds "$1: settled" until_true is_status "${2:-Succeeded}"
  end_daemon "$1" TERM
  same "$1: stops with 0" 0 "$status"
}
allowed='eligibility - Allowed no hold, create - Sending allowed'
proved='create found Succeeded proven'

# 1. Decided, and not committed.
proxy pg hold_answer statement=permit_create >/dev/null
begin_case
start_daemon undecided
same 'killed before the commit: it was asked' ok "$(proxy pg wait 1)"
killed undecided
same 'killed before the commit: no evidence' '' "$(story)"
same 'killed before the commit: nothing was sent' 0 "$(posts)"
next_one after-undecided
same 'killed before the commit: then as if nothing had been' "$allowed, $proved" "$(story)"
same 'killed before the commit: one create' 1 "$(posts)"

# 2. Committed, and not sent. A hold comes before the next attempt: that decision is no use to it.
proxy pg hold_answer tag=COMMIT >/dev/null
begin_case
start_daemon unsent
same 'killed before the send: it was allowed' ok "$(proxy pg wait 2)"
killed unsent
same 'killed before the send: the attempt is in evidence' "$allowed" "$(story)"
same 'killed before the send: nothing was sent' 0 "$(posts)"
sql -c "INSERT INTO public.holds VALUES ('fraud')"
next_one after-unsent Unknown
same 'killed before the send: an old decision creates nothing' \
  "$allowed, eligibility - Denied fraud, lookup absent Unknown absent-so-far" "$(story)"
same 'killed before the send: nothing was sent after the hold' 0 "$(posts)"
sql -c 'DELETE FROM public.holds'

# 3. Sent, and not answered.
begin_case
first_post '{"cut":"never"}'
end_lease
start_daemon unanswered
succeeds 'killed before the answer: it was sent' until_true posted 1
killed unanswered
same 'killed before the answer: the attempt is in evidence' "$allowed" "$(story)"
next_one after-unanswered
same 'killed before the answer: found, not sent again' \
  "$allowed, lookup found Succeeded proven" "$(story)"
same 'killed before the answer: one create' '1 1' "$(posts) $(credits)"

# 4. Answered, and not recorded.
begin_case
first_post '{"delay_ms":1500}'
end_lease
start_daemon unrecorded
succeeds 'killed before the record: it was sent' until_true posted 1
hold 'LOCK TABLE recovery_evidence IN SHARE ROW EXCLUSIVE MODE'
until_true counts "pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = 'daemon_login'" 1
kill -KILL "${pids[unrecorded]}"
await_end unrecorded
until_true counts "pg_stat_activity WHERE usename = 'daemon_login'" 0
let_go
same 'killed before the record: the attempt is in evidence' "$allowed" "$(story)"
next_one after-unrecorded
same 'killed before the record: found, not sent again' \
  "$allowed, lookup found Succeeded proven" "$(story)"
same 'killed before the record: one create' '1 1' "$(posts) $(credits)"

# 5. Recorded, and not acknowledged.
proxy pg hold_answer statement=record >/dev/null
begin_case
start_daemon unheard
same 'killed after the record: it is committed' ok "$(proxy pg wait 3)"
killed unheard
same 'killed after the record: settled' Succeeded "$(column status "$operation")"
same 'killed after the record: once' "$allowed, $proved" "$(story)"
same 'killed after the record: one create' '1 1' "$(posts) $(credits)"

# 6. Stopped after the commit, until its lease is really over. Another one creates meanwhile.
proxy pg hold_answer tag=COMMIT >/dev/null
begin_case
start_daemon sleeper
same 'asleep: it was allowed' ok "$(proxy pg wait 4)"
kill -STOP "${pids[sleeper]}"
cp "$work/direct.yaml" "$work/reconciled.yaml"
start_daemon awake
succeeds 'asleep: the next one settles it after the lease' until_true is_status Succeeded
end_daemon awake TERM
proxy pg pass >/dev/null
kill -CONT "${pids[sleeper]}"
succeeds 'asleep: it notices that it lost the operation' until_true logged sleeper ownership_lost
same 'asleep: one create, one credit' '1 1' "$(posts) $(credits)"
end_daemon sleeper TERM
same 'asleep: it stops with 0' 0 "$status"

# 7. B17: not processed, then again by a daemon of another name, zone and locale.
begin_case
sql -c "UPDATE operations SET amount = 250.10, account_id = 'Ä\"''1'
  WHERE operation_id = '$operation'"
first_post '{"status":503,"headers":{"Retry-After":"1"}}'
end_lease
start_daemon first-name
succeeds 'B17: the first is not processed' until_true told 'create throttled Unknown not-processed'
end_daemon first-name TERM
tell "{\"key\":\"$operation\",\"credits\":[]}"
config[instance]="o'brien"
write_config
until_true counts "recovery_evidence WHERE (detail ->> 'not_before')::timestamptz > now()" 0
end_lease
TZ=Asia/Kathmandu LC_ALL=C.UTF-8 LANG=de_DE.UTF-8 start_daemon second-name
succeeds 'B17: then it is created' until_true is_status Succeeded
end_daemon second-name TERM
same 'B17: each attempt after a decision of its own' \
  "$allowed, create throttled Unknown not-processed, $allowed, $proved" "$(story)"
same 'B17: two requests, one credit' '2 1' "$(posts) $(credits)"
sent=$(ledger | grep '"method":"POST"' | grep "$operation" | grep -o '"body":".*' | sort -u)
same 'B17: with the same bytes' 1 "$(grep -c . <<<"$sent")"
matches 'B17: which are the amount as it is written' '250\.10' "$sent"

# 8. An eligibility function that takes too long.
may_create "SELECT 'Allowed', 'd-1', 'late' FROM pg_sleep(60)"
begin_case
start_daemon patient
succeeds 'too slow: it is deferred' until_true told 'lookup absent Unknown absent-so-far'
same 'too slow: no decision' \
  'eligibility - CannotDetermine error, lookup absent Unknown absent-so-far' "$(story)"
same 'too slow: by statement_timeout' 57014 "$(sql -c "SELECT detail ->> 'sqlstate'
  FROM recovery_evidence WHERE operation_id = '$operation' AND step = 'eligibility'")"
same 'too slow: nothing was sent' 0 "$(posts)"

# The same operation goes on: allowed, created, the answer lost, found.
may_create "$by_holds"
first_post '{"cut":"before-answer"}'
end_lease
succeeds 'deferred, then allowed: the answer is lost' until_true told 'no-answer Unknown no-answer'
end_lease
succeeds 'deferred, then allowed: found' until_true is_status Succeeded
end_daemon patient TERM
same 'deferred, then allowed: the whole story' "eligibility - CannotDetermine error, \
lookup absent Unknown absent-so-far, $allowed, create no-answer Unknown no-answer, \
lookup found Succeeded proven" "$(story)"
same 'deferred, then allowed: one create' '1 1' "$(posts) $(credits)"

# 9. Turned on by a reload, which looks at the function as a start does.
config[recovery.resubmit]=false
write_config
start_daemon reloaded
until_true logged reloaded started
reload() { # EVENT
  local before
  before=$(lines reloaded "$1")
  write_config
  kill -HUP "${pids[reloaded]}"
  until_true logged reloaded "$1" $((before + 1))
}
config[recovery.resubmit]=true
config[recovery.eligibility_function]=public.may_creat
reload config_rejected
matches 'reload: names the function that is missing' 'public.may_creat\(uuid\) does not exist' \
  "$(event reloaded config_rejected)"
begin_case
succeeds 'reload: looked up' until_true is_status Unknown
same 'reload: and nothing is created' 'lookup absent Unknown absent-so-far' "$(story)"
config[recovery.eligibility_function]=public.may_create
sql -c "UPDATE resubmission_switch SET enabled = false, reason = 'audit'"
reload config_reloaded
matches 'reload: says that the switch is off' 'audit' "$(event reloaded resubmission_off)"
sql -c "UPDATE resubmission_switch SET enabled = true"
end_lease
succeeds 'reload: then it is created' until_true is_status Succeeded
same 'reload: once' '1 1' "$(posts) $(credits)"
end_daemon reloaded TERM
same 'reload: it stops with 0' 0 "$status"

same 'afterwards: creating again is still on' t \
  "$(sql -c 'SELECT enabled FROM resubmission_switch')"
nothing_is_broken
