/* SPDX-License-Identifier: Apache-2.0
 * Creating again: an executor and two daemons that may each send a create under the operation's
 * key, a service that may forbid it at any time, a switch, a provider that keeps what it documents.
 *
 * sql/functions/may_submit.sql: AND clock_timestamp() < o.lease_until AND clock_timestamp() < o.submit_by
 * sql/statements/permit_create.sql: AND owner_version = $2::bigint AND owner_token = $3::uuid
 * sql/statements/permit_create.sql: AND CASE status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
 * sql/statements/permit_create.sql: WHEN NOT coalesce((SELECT bool_and(enabled) FROM resubmission_switch), false) THEN 'switched-off' WHEN denied THEN 'denied' WHEN clock_timestamp() >= submit_by THEN 'window-over' WHEN clock_timestamp() >= send_by THEN 'key-forgotten'
 * sql/statements/permit_create.sql: + $6::bigint * interval '1 microsecond' THEN 'settling'
 * sql/statements/permit_create.sql: WHERE decision = 'Allowed' AND clock_timestamp() < send_by AND clock_timestamp() + $7::bigint * interval '1 microsecond' < lease_until
 *
 * claim: one_credit     the provider never holds two credits under the key (G6)
 * claim: asked          what the service forbids at that moment is not sent
 * claim: denied_ends    after a Denied no create is permitted before a recheck
 * claim: not_blind      no create is permitted while an earlier one may have an effect unseen
 * claim: switched_off   nor while the switch is off
 * claim: owned          nor for whom the operation is not
 * claim: ends           under fairness the operation is decided in the end (G8)
 *
 * bug: NOT_ATOMIC breaks one_credit         two requests at once are not told apart by the provider
 * bug: SHORT_MEMORY breaks one_credit       it forgets keys before the window is over
 * bug: NO_WINDOW breaks one_credit          a create may be sent after submit_by
 * bug: ASKED_BEFORE breaks asked            the service is asked by a statement before
 * bug: FORGETS_DENIED breaks denied_ends    the Denied row is not looked for
 * bug: NO_SETTLE breaks not_blind           the settle time after a create is not waited for
 * bug: SETTLE_FROM_SENDING breaks not_blind or counts from before the request went out
 * bug: OLD_LOOKUP breaks not_blind          what counts is when the lookup ended, not when it began
 * bug: NO_SWITCH breaks switched_off        the switch is not a condition of the statement
 * bug: NO_TOKEN breaks owned                ownership is not a condition of the statement
 * bug: DENIED_STOPS breaks ends             a Denied ends looking as well
 */
#define UNRESOLVED 0
#define SUCCEEDED 1
#define RECONCILE 2
#define NOBODY 3
#define OPEN 0
#define OVER 1    /* submit_by has passed, and what was sent before it has arrived */
#define SETTLED 2 /* and its settle time is over */

byte status = UNRESOLVED, owner = 0, window = OPEN;
bool leased = true;
bool settled = true; /* no create of a daemon's is younger than the settle time */
bool denied, on = true, forbidden, rechecked;
bool looks = true;
byte attempt_by = NOBODY; /* whose create was permitted last */
byte sent[3];       /* requests on their way, by who sent them; 0 is the executor */
byte credits;
bool ours, visible; /* a credit that a daemon's request made; the lookup shows what there is */
bool remembered, forgotten;
byte deaths_to_come = 1;
bool unasked, after_denied, blind, while_off, not_owned;

#define on_the_way (sent[0] + sent[1] + sent[2])
#define final (status != UNRESOLVED)
#ifdef NO_WINDOW
#define in_window true
#else
#define in_window (window == OPEN)
#endif

active proctype time() {
  do :: window <= SETTLED od
}

active proctype executor() {
  if
  :: atomic { owner == 0 && !final && leased && in_window -> sent[0] = 1 }
  :: skip
  fi
}

inline arrives(who) {
  sent[who] = 0;
  if
  :: !remembered -> credits++; remembered = !forgotten; ours = ours || who != 0
  :: else /* the same key: the same credit */
  fi
}

#ifdef NOT_ATOMIC
inline has_seen() {
  atomic { if :: new -> credits++; remembered = true :: else fi; new = false }
}

active [2] proctype provider() {
  bool new;
end:
  do
  :: atomic { sent[0] > 0 -> sent[0] = 0; new = !remembered }; has_seen()
  :: atomic { sent[1] > 0 -> sent[1] = 0; new = !remembered }; has_seen()
  od
}
#else
active proctype provider() {
end:
  do
  :: atomic { sent[0] > 0 -> arrives(0) }
  :: atomic { sent[1] > 0 -> arrives(1) }
  :: atomic { sent[2] > 0 -> arrives(2) }
  od
}
#endif

active proctype shows() {
end:
  do
  :: atomic { credits > 0 && !visible -> visible = true }
  od
}

active proctype forgets() { /* the profile's key_retention, less provider_clock_margin */
end:
#ifdef SHORT_MEMORY
  atomic { credits > 0 -> forgotten = true; remembered = false }
#else
  atomic { window != OPEN && on_the_way == 0 -> forgotten = true; remembered = false }
#endif
}

active proctype windows() {
end:
  do
  :: atomic { window == OPEN -> window = OVER }
  :: atomic { window == OVER && on_the_way == 0 && (credits == 0 || visible) -> window = SETTLED }
  od
}

/* The settle time of a create counts from its outcome, or from the end of its lease. */
#ifdef SETTLE_FROM_SENDING
#define attempt_over true
#else
#define attempt_over (owner != attempt_by || !leased)
#endif
active proctype settles() {
end:
  do
  :: atomic { !settled && attempt_over && sent[1] + sent[2] == 0 && (credits == 0 || visible) ->
       settled = true; attempt_by = NOBODY }
  od
}

#ifdef PUNCTUAL
bool at_work[3];
#define may_end (owner == 0 || owner == NOBODY || !at_work[owner])
#else
#define may_end true
#endif
active proctype leases() {
end:
  do
  :: atomic { leased && looks && !final && may_end -> leased = false }
  od
}

active proctype service() { /* it may forbid, and change its mind */
end:
  if :: forbidden = true :: skip fi;
  if :: forbidden = false :: skip fi
}

active proctype person() {
end:
  do
  :: atomic { status == RECONCILE && !rechecked && window != SETTLED ->
       rechecked = true; status = UNRESOLVED; owner = 0; leased = false; denied = false }
  :: atomic { on && !rechecked -> on = false }
  od
}

#define IDLE 0
#define TAKEN 1
#define ASKING 2    /* the lookup is on its way */
#define NOT_FOUND 3 /* complete and absent, within window and settle time */
#define FOUND 4
#define GONE 5      /* absent after them */
#define PERMITTED 6
#define SENT 7
#define DEFERRED 8

#ifdef NO_TOKEN
#define mine true
#else
#define mine (owner == me && leased)
#endif
#ifdef NO_SETTLE
#define has_settled true
#else
#define has_settled (settled && began)
#endif
#ifdef NO_SWITCH
#define is_on true
#else
#define is_on on
#endif
#ifdef FORGETS_DENIED
#define not_denied true
#else
#define not_denied (!denied)
#endif
#ifdef ASKED_BEFORE
#define answer asked_before
#else
#define answer (!forbidden)
#endif

inline permit() { /* one statement: the eligibility function is asked in it */
  if
  :: !final && mine && in_window && !forgotten && has_settled && is_on && not_denied ->
     if
     :: answer ->
        unasked = unasked || forbidden; after_denied = after_denied || denied;
        while_off = while_off || !on; not_owned = not_owned || owner != me;
        blind = blind || sent[1] + sent[2] > 0 || ours;
        settled = false; attempt_by = me; step = PERMITTED
     :: !answer -> step = DEFERRED; denied = denied || owner == me;
#ifdef DENIED_STOPS
        looks = false
#endif
     fi
  :: else -> step = DEFERRED
  fi
}

inline record(outcome) { /* fenced */
  if
  :: owner == me && !final ->
     status = outcome; owner = NOBODY; leased = outcome == UNRESOLVED
  :: else
  fi;
  rest()
}

inline rest() {
#ifdef PUNCTUAL
  at_work[me] = false;
#endif
  step = IDLE; as_of = OPEN; began = false
}

proctype daemon(byte me) {
  byte step = IDLE, as_of = OPEN;
  bool began;
#ifdef ASKED_BEFORE
  bool asked_before;
#endif
end:
  do
  :: atomic { step == IDLE && !final && !leased ->
       owner = me; leased = true; as_of = window; step = TAKEN;
#ifdef PUNCTUAL
       at_work[me] = true
#endif
     }
  :: atomic { step == TAKEN -> began = settled; step = ASKING }
  :: atomic { step == ASKING ->
#ifdef OLD_LOOKUP
       began = true;
#endif
       if
       :: visible -> step = FOUND
       :: !visible && as_of == SETTLED -> step = GONE
       :: !visible && as_of != SETTLED -> step = NOT_FOUND
       fi;
#ifdef ASKED_BEFORE
       asked_before = !forbidden;
#endif
       as_of = OPEN
     }
  :: atomic { step == NOT_FOUND -> permit() }
  :: atomic { step == NOT_FOUND -> step = DEFERRED } /* not configured, or CannotDetermine */
  :: atomic { step == PERMITTED && mine && in_window -> sent[me] = 1; step = SENT }
  :: atomic { step == PERMITTED && !(mine && in_window) -> step = DEFERRED }
  :: atomic { step == SENT && credits > 0 -> step = FOUND } /* its answer */
  :: atomic { step == SENT -> step = DEFERRED }             /* none */
  :: atomic { step == FOUND -> record(SUCCEEDED) }
  :: atomic { step == GONE -> record(RECONCILE) }
  :: atomic { step == DEFERRED -> record(UNRESOLVED) }
  :: atomic { step != IDLE && deaths_to_come > 0 -> deaths_to_come--; rest() }
  od
}

init { atomic { run daemon(1); run daemon(2) } }

ltl safe { [] !(credits > 1 || unasked || after_denied || blind || while_off || not_owned) }
ltl one_credit { [] (credits <= 1) }
ltl asked { [] !unasked }
ltl denied_ends { [] !after_denied }
ltl not_blind { [] !blind }
ltl switched_off { [] !while_off }
ltl owned { [] !not_owned }
ltl ends { <>[] final }
