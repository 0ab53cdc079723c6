/* SPDX-License-Identifier: Apache-2.0
 * Deleting consumption rows: two admissions of one grant and its revocation, each held up for any
 * time between its steps; two daemons that sweep and may die anywhere; a database clock that steps.
 *
 * sql/functions/admit_token_grant.sql: WHERE statement_timestamp() < admit_token_grant.expires_at + t.admission_leeway ON CONFLICT (issuer, grant_id) DO NOTHING
 * sql/mark.sql: SELECT cut_off INTO mark FROM cleanup_mark; IF (retained >= mark) IS NOT TRUE THEN
 * sql/mark.sql: IF current_setting('transaction_isolation') <> 'read committed' THEN
 * sql/mark.sql: IF NEW.operation_id IS NULL THEN RETURN NULL; END IF;
 * sql/statements/raise_mark.sql: SET cut_off = greatest(cut_off,
 * sql/statements/delete_consumptions.sql: WHERE retain_until < least(timestamptz 'epoch' + $1::bigint * interval '1 microsecond', (SELECT cut_off FROM cleanup_mark))
 * sql/statements/delete_consumptions.sql: FOR UPDATE SKIP LOCKED
 *
 * claim: one_admission  a grant is admitted once, whatever clocks and delays did (G9)
 * claim: revoked_stays  nor after it was revoked
 * claim: honest_pass    without a step of the clock nobody within cleanup_margin is refused
 * claim: gone           under fairness the row is deleted in the end
 *
 * bug: NO_MARK breaks one_admission         the trigger does not look, the margin alone protects
 * bug: MARK_BEHIND breaks one_admission     the mark is raised behind the delete
 * bug: MARK_FALLS breaks one_admission      a clock that stepped back lowers the mark
 * bug: READ_EARLY breaks one_admission      the mark is read before the claim goes in
 * bug: OWN_CLOCK breaks one_admission       the delete goes by the clock, past what was announced
 * bug: NO_MARK_REVOKED breaks revoked_stays the same for a revocation's row
 * bug: NO_MARGIN breaks honest_pass         the cut-off is the present
 * bug: NO_RETRY breaks gone                 a sweep that was cut short is not repeated
 */
#define RETAIN 2 /* the row's retain_until, also the admission's deadline */
#define MARGIN 2
#define STEP 3
#define END 6 /* late enough for all that can be told apart */

#define ABSENT 0
#define COMMITTED 1
#define INSERTING 2
#define DELETING 3
byte row = ABSENT;
byte now = 0, mark = 0;
#ifdef PUNCTUAL /* fewer of them, for what must come in the end */
byte steps_to_come = 1, deaths_to_come = 2;
#define ADMISSIONS 1
#else
byte steps_to_come = 2, deaths_to_come = 2;
#define ADMISSIONS 2
#endif
bool stepped;
byte admitted;
bool revoked, after_revocation, refused_honest;

active proctype ticks() {
  do
  :: atomic { now < END -> now++ }
  :: now == END
  od
}

active proctype steps() {
end:
  do
  :: atomic { steps_to_come > 0 && now + STEP <= END ->
       now = now + STEP; steps_to_come--; stepped = true }
  :: atomic { steps_to_come > 0 && now >= STEP ->
       now = now - STEP; steps_to_come--; stepped = true }
  od
}

#ifdef NO_MARK
#define above_mark true
#else
#ifdef NO_MARK_REVOKED
#define above_mark true
#else
#ifdef READ_EARLY
#define above_mark (RETAIN >= seen)
#else
#define above_mark (RETAIN >= mark)
#endif
#endif
#endif

active [ADMISSIONS] proctype admission() {
  byte received, seen;
  atomic { now < RETAIN -> received = now; seen = mark } /* the statement; late ones are refused */
  if
  :: atomic { row == COMMITTED -> goto refused } /* and it waits for what is not committed yet */
  :: atomic { row == ABSENT -> row = INSERTING }
  fi;
  if /* the trigger, in a statement of its own */
  :: atomic { above_mark -> skip }
  :: atomic { !above_mark ->
       refused_honest = refused_honest || (!stepped && now - received <= MARGIN);
       row = ABSENT; goto refused }
  fi;
  atomic { row = COMMITTED; admitted++; after_revocation = after_revocation || revoked }
refused:
  atomic { received = 0; seen = 0 }
}

active proctype revocation() {
  if
  :: atomic { row == COMMITTED -> skip } /* consumed already, or swept meanwhile */
  :: atomic { row == ABSENT -> row = INSERTING };
     atomic { row = COMMITTED; revoked = admitted == 0 }
  fi
}

inline raise_mark() {
#ifdef MARK_FALLS
  atomic { mark = cut }
#else
  atomic { if :: cut > mark -> mark = cut :: else fi }
#endif
}

active [2] proctype sweeper() {
  byte cut;
again:
  atomic { now > MARGIN && row == COMMITTED ->
#ifdef NO_MARGIN
    cut = now
#else
    cut = now - MARGIN
#endif
  }
#ifndef MARK_BEHIND
  raise_mark();
#endif
  if
  :: atomic { deaths_to_come > 0 -> deaths_to_come--; goto died }
  :: skip
  fi;
#ifdef OWN_CLOCK
  cut = (now > MARGIN -> now - MARGIN : 0);
#endif
  if
#ifdef OWN_CLOCK
  :: atomic { row == COMMITTED && RETAIN < cut -> row = DELETING }
#else
#ifdef MARK_BEHIND
  :: atomic { row == COMMITTED && RETAIN < cut -> row = DELETING }
#else
  :: atomic { row == COMMITTED && RETAIN < (cut < mark -> cut : mark) -> row = DELETING }
#endif
#endif
     if
     :: atomic { deaths_to_come > 0 -> deaths_to_come--; row = COMMITTED; goto died }
     :: row = ABSENT
     fi
  :: else /* not due yet, or locked: skipped */
  fi;
#ifdef MARK_BEHIND
  raise_mark();
#endif
  cut = 0;
  goto again;
died:
  cut = 0;
#ifndef NO_RETRY
  goto again
#endif
}

ltl safe { [] !(admitted > 1 || after_revocation || refused_honest) }
ltl one_admission { [] (admitted <= 1) }
ltl revoked_stays { [] !after_revocation }
ltl honest_pass { [] !refused_honest }
ltl gone { <>[] (row == ABSENT) }
