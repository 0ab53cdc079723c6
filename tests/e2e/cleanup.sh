#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# G9: the daemon cleans up beside recovery; each reason not to is told once, with what to do, and
# recovery goes on; kill -9 between any two steps of a sweep leaves nothing half done; the dry run
# shows it all and never moves the mark.
# shellcheck source=tests/lib/scripted.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib/scripted.sh"
# shellcheck source=tests/lib/world.sh
. "$source_dir/tests/lib/world.sh"

start_database
start_provider
default_config
config[retention.consumptions]=true
config[retention.interval]=100ms
config[retention.pause]=0s
config[recovery.poll_interval]=200ms
write_config

operation=00000000-0000-4000-8000-000000000001
add_consumptions() { # COUNT AGE PREFIX; as if the mark had never been raised
  sql -1 -c "ALTER TABLE grant_consumptions DISABLE TRIGGER USER" \
    -c "INSERT INTO grant_consumptions SELECT 'issuer', '$3-' || n, '$operation', now(),
        now() - interval '$2' FROM generate_series(1, $1) AS n" \
    -c "ALTER TABLE grant_consumptions ENABLE ALWAYS TRIGGER grant_consumptions_above_mark"
}
add_record() { # USER STATE AGE
  sql -c "INSERT INTO idempotency_records SELECT '$1', 'POST /credits', '$operation', '$2',
    gen_random_uuid(), 'hash', now() - interval '1 day', now() - interval '$3'"
}
mark() { sql -c 'SELECT cut_off FROM cleanup_mark'; }
settled() { same_word Succeeded "column status $1"; } # ID
recovery_works() { # NAME
  local ids
  add_good 1
  until_true settled "${ids[0]}"
  same "$1: recovery goes on" Succeeded "$(column status "${ids[0]}")"
}

# --- the dry run --------------------------------------------------------------------------------

add_consumptions 3 '2 days' old
add_consumptions 2 '1 minute' young
add_record lost Executed '1 hour'
config[database.uri]=$(uri reader_login)
write_config
run shown --dry-run
same 'dry run: 0' 0 "$status"
matches 'dry run: cut-off and mark' 'cleanup: cut-off 20..-..-..T.*Z, mark -infinity' "$(<"$work/shown.out")"
matches 'dry run: consumption rows' 'grant_consumptions: 3 would go' "$(<"$work/shown.out")"
matches 'dry run: by day' "$(sql -c "SELECT (now() - interval '2 days')::date")  +3" "$(<"$work/shown.out")"
matches 'dry run: the other table' 'idempotency_records: 1 expired, and retention.idempotency_records is off' \
  "$(<"$work/shown.out")"
matches 'dry run: answers lost' 'of which answers lost 1' "$(<"$work/shown.out")"
matches 'dry run: the sum comes last' 'nothing is due' "$(tail -n1 "$work/shown.out")"
run json --dry-run --output json
matches 'json: the sweep' '"cleanup":"sweep","cut_off":"[^"]*Z","mark":"-infinity","permitted":true' \
  "$(<"$work/json.out")"
matches 'json: a day' '"cleanup":"day","table":"grant_consumptions","day":"[0-9-]*","rows":3' "$(<"$work/json.out")"
sql -c 'ALTER TABLE grant_consumptions DISABLE TRIGGER grant_consumptions_above_mark'
run refused --dry-run
matches 'dry run: what would refuse' 'would refuse: reconciled.grant_consumptions: trigger .* is disabled' \
  "$(<"$work/refused.out")"
sql -c 'ALTER TABLE grant_consumptions ENABLE ALWAYS TRIGGER grant_consumptions_above_mark' \
  -c 'REVOKE SELECT ON idempotency_records FROM reconciled_reader'
run blind --dry-run
matches 'dry run: what its role cannot see' 'idempotency_records: not visible to this role' "$(<"$work/blind.out")"
sql -c 'GRANT SELECT ON idempotency_records TO reconciled_reader'
same 'dry run: the mark is where it was' -infinity "$(mark)"
same 'dry run: nothing was deleted' '5 1' "$(count grant_consumptions) $(count idempotency_records)"

# --- who may admit, and what bounds them ---------------------------------------------------------

sql -c 'CREATE ROLE app LOGIN IN ROLE reconciled_admission'
run checked --check-config
same 'check: 0, whatever the database says' 0 "$status"
matches 'check: who may admit' 'database +role app may admit; transaction_timeout has no end' "$(<"$work/checked.out")"
matches 'check: superusers are named' 'superuser postgres may do anything' "$(<"$work/checked.out")"
matches 'check: what require_bound would refuse' 'warning +(role app may admit|PostgreSQL 1[56] has no)' \
  "$(<"$work/checked.out")"
config[database.uri]=$(uri reader_login 1)
write_config
run unreachable --check-config
same 'check: 0 without a database' 0 "$status"
matches 'check: says that it was not reached' 'not checked +retention.require_bound needs the database' \
  "$(<"$work/unreachable.out")"

# --- the daemon ---------------------------------------------------------------------------------

config[database.uri]=$(uri daemon_login)
config[retention.idempotency_records]=true
write_config
start_daemon first
until_true counts "grant_consumptions WHERE grant_id LIKE 'old%'" 0
until_true counts idempotency_records 0
until_true logged first cleanup_swept
matches 'started: warns of admissions without a bound' 'admissions are not bounded by the server' "$(<"$work/first.log")"
same 'swept: the young rows are there' 2 "$(count grant_consumptions)"
same 'swept: the lost answer is told' 1 "$(lines first idempotency_answer_lost)"
matches 'swept: and names its request' '"user_id":"lost".*"endpoint":"POST /credits"' \
  "$(event first idempotency_answer_lost)"
same 'swept: and kept' lost "$(sql -c 'SELECT user_id FROM idempotency_answers_lost')"

# Three reasons, one after the other: each is told once while it stands.
refusals() { (($(lines first cleanup_refused) == $1)); }
told() { event first cleanup_refused | sed 's/.*"message":"\([^"]*\)".*/\1/'; }
add_consumptions 2 '1 day' kept
sql -c 'ALTER TABLE grant_consumptions DISABLE TRIGGER grant_consumptions_above_mark'
until_true refusals 1
matches 'refused 1: the trigger' 'nothing is deleted: reconciled.grant_consumptions: trigger grant_consumptions_above_mark is disabled .*ENABLE ALWAYS TRIGGER' "$(told)"
first_text=$(told)
recovery_works 'refused 1'
sql -1 -c 'ALTER TABLE grant_consumptions ENABLE ALWAYS TRIGGER grant_consumptions_above_mark' \
  -c "ALTER FUNCTION refuse_claim_below_mark() RESET search_path"
until_true refusals 2
matches 'refused 2: the function' 'function reconciled.refuse_claim_below_mark.. is not the one that this version installs: its search_path' "$(told)"
second_text=$(told)
recovery_works 'refused 2'
sql -1 -c "ALTER FUNCTION refuse_claim_below_mark() SET search_path = reconciled, pg_temp" \
  -c 'REVOKE UPDATE (cut_off) ON cleanup_mark FROM reconciled_retention'
until_true refusals 3
matches 'refused 3: the mark' 'reconciled.cleanup_mark cannot be raised.*GRANT SELECT, UPDATE .cut_off. ON reconciled.cleanup_mark TO reconciled_retention' "$(told)"
third_text=$(told)
recovery_works 'refused 3'
sql -c 'GRANT UPDATE (cut_off) ON cleanup_mark TO reconciled_retention'
until_true counts "grant_consumptions WHERE grant_id LIKE 'kept%'" 0
same 'permitted: swept again' 0 "$(count "grant_consumptions WHERE grant_id LIKE 'kept%'")"
same 'each reason was told once' 3 "$(lines first cleanup_refused)"
printf '# %s\n' "$first_text" "$second_text" "$third_text"

# The sweep hangs in a lock; stopping does not.
hold 'LOCK TABLE cleanup_mark'
end_daemon first TERM
let_go
same 'SIGTERM ends a daemon whose sweep waits: 0' 0 "$status"

# --- kill -9 between the steps ------------------------------------------------------------------

held_in() { same_word "$1" "sql -c \"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%$2%'\""; }
config[retention.batch]=10
write_config
add_consumptions 40 '1 day' batch
before=$(mark)
hold 'LOCK TABLE grant_consumptions IN SHARE MODE'
start_daemon between_mark_and_delete
until_true held_in 1 'DELETE FROM grant_consumptions'
end_daemon between_mark_and_delete KILL
let_go
same 'killed after the mark: it is committed' t "$(sql -c "SELECT cut_off > '$before' FROM cleanup_mark")"
same 'killed after the mark: nothing was deleted' 40 "$(count "grant_consumptions WHERE grant_id LIKE 'batch%'")"

# The second batch waits for the lock of one row's trigger.
sql -c "CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN IF OLD.grant_id = ''batch-15'' THEN PERFORM pg_advisory_xact_lock(7); END IF; RETURN OLD; END'" \
  -c 'CREATE TRIGGER waits BEFORE DELETE ON grant_consumptions FOR EACH ROW EXECUTE FUNCTION wait_here()' \
  -c "UPDATE grant_consumptions SET retain_until = now() - interval '1 day' + substring(grant_id FROM 7)::int * interval '1 s'
      WHERE grant_id LIKE 'batch%'"
hold 'SELECT pg_advisory_xact_lock(7)'
start_daemon between_batches
until_true held_in 1 'DELETE FROM grant_consumptions'
end_daemon between_batches KILL
let_go
until_true counts "pg_stat_activity WHERE query LIKE '%DELETE FROM grant_consumptions%' AND pid <> pg_backend_pid()" 0
matches 'killed between batches: whole batches are gone' '^(20|30)$' \
  "$(count "grant_consumptions WHERE grant_id LIKE 'batch%'")"
same 'killed between batches: oldest first' 0 "$(count "grant_consumptions WHERE grant_id IN ('batch-1', 'batch-10')")"
sql -c 'DROP TRIGGER waits ON grant_consumptions'

# --once makes one sweep as well, and a refusal is not its exit code.
run once --once
same '--once: 0' 0 "$status"
same '--once: the rest is gone' 0 "$(count "grant_consumptions WHERE grant_id LIKE 'batch%'")"
sql -c 'ALTER TABLE grant_consumptions DISABLE TRIGGER grant_consumptions_above_mark'
run once_refused --once
same '--once, refused: 0' 0 "$status"
same '--once, refused: told' 1 "$(lines once_refused cleanup_refused)"
sql -c 'ALTER TABLE grant_consumptions ENABLE ALWAYS TRIGGER grant_consumptions_above_mark'

# A login that may not clean up still recovers.
sql -c 'REVOKE reconciled_retention FROM daemon_login'
start_daemon lesser
until_true logged lesser cleanup_refused
matches 'without the role: says which' 'GRANT reconciled_retention' "$(event lesser cleanup_refused)"
recovery_works 'without the role'
end_daemon lesser TERM
same 'without the role: 0' 0 "$status"
nothing_is_broken
