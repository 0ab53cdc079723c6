/* SPDX-License-Identifier: Apache-2.0
 * Who owns an operation and who may write its outcome: an executor that may die or pause, two
 * daemons that take over, look up, judge and record, a person who rechecks, a lookup that shows a
 * credit late, and one failover to a standby that had not replicated everything.
 *
 * sql/statements/take_over.sql: AND o.owner_version = chosen.owner_version
 * sql/statements/take_over.sql: AND o.lease_until = chosen.lease_until
 * sql/statements/take_over.sql: AND CASE o.status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
 * sql/statements/take_over.sql: SET owner_version = o.owner_version + 1, owner_token = $2::uuid,
 * sql/statements/record.sql: AND o.owner_version = v.owner_version AND o.owner_token = v.owner_token
 * sql/statements/record.sql: AND CASE o.status WHEN 'Admitted' THEN true WHEN 'Unknown' THEN true ELSE false END
 * sql/statements/record.sql: AND v.status IN ('Succeeded', 'Unknown', 'NeedsReconciliation')
 * sql/statements/record.sql: owner_token = NULL,
 * sql/functions/record_outcome.sql: AND o.owner_version = record_outcome.owner_version AND o.owner_token IS NULL AND o.status = 'Admitted'
 * sql/functions/may_submit.sql: AND clock_timestamp() < o.lease_until AND clock_timestamp() < o.submit_by
 *
 * claim: one_owner    a verdict is written by who took over last and has not given up (G1)
 * claim: final        no pass changes a row that is final (G2)
 * claim: no_failed    no pass writes Failed (G3)
 * claim: truth        Succeeded needs a credit (G4)
 * claim: no_early_end an absence is final only if no credit exists or can come (G5)
 * claim: decided      under fairness every operation is decided in the end (G8)
 *
 * bug: NO_FENCE breaks one_owner       the verdict's WHERE names neither version nor token
 * bug: VERSION_ONLY breaks one_owner   not the token: versions repeat after a failover or recheck
 * bug: STALE_LIST breaks final         a takeover by id alone, from a list that is no longer true
 * bug: INFER_FAILED breaks no_failed   an absence after the window is Failed
 * bug: PENDING_PAYS breaks truth       a request on its way is taken for a credit
 * bug: LATE_AS_OF breaks no_early_end  the absence is judged by the time after the lookup
 * bug: NO_WINDOW breaks no_early_end   a create may be sent after submit_by
 * bug: PAUSED_SEND breaks no_early_end what no WHERE can help: a pause between asking and sending
 * bug: NO_NEXT_LOOK breaks decided     Unknown leaves no time at which it is looked at again
 * bug: ADMITTED_ONLY breaks decided    a takeover does not see Unknown
 */
#define ADMITTED 0
#define UNKNOWN 1
#define SUCCEEDED 2
#define RECONCILE 3
#define FAILED 4
#define NOTHING 5 /* no verdict yet */
#define OPEN 0    /* before submit_by */
#define OVER 1    /* after it, the provider may still work on a create or not show it yet */
#define SETTLED 2 /* and its settle time is over as well */
#define VERSIONS 3 /* then they begin again: only a token is never the same twice */
#define LOST 3 /* a token that nobody has in memory; 1 and 2 are the daemons' present ones */

typedef Row {
  byte status, version, token;
  bool leased;
  byte owner /* ghost: the daemon that took over last, 0 once it gave up */
};
Row row, standby;
bool looked_at_again = true;
#ifdef PUNCTUAL
bool at_work[3];
#endif
byte window = OPEN;
bool under_way, credit, visible; /* sent and not processed; at the provider; shown by the lookup */
bool failed_over, rechecked;
bool failure_to_come = true; /* a daemon may die, or lose what it was told */
bool called_absent;          /* ghost: an absence was final */
#ifdef LATE_AS_OF
bool found_then;
#endif
bool stale_write, rewrote_final, wrote_failed, untrue, ended_early;

#define unresolved (row.status == ADMITTED || row.status == UNKNOWN)
#define is_final (row.status == SUCCEEDED || row.status == RECONCILE || row.status == FAILED)
#ifdef NO_WINDOW
#define in_window true
#else
#define in_window (window == OPEN)
#endif
#define executors (row.version == 1 && row.token == 0 && row.status == ADMITTED)

inline copy(to, from) {
  to.status = from.status; to.version = from.version; to.token = from.token;
  to.leased = from.leased; to.owner = from.owner
}

active proctype executor() {
  bool allowed;
  if :: goto dead :: skip fi;
  atomic { /* may_submit, and the send at once */
    allowed = executors && row.leased && in_window;
#ifdef PAUSED_SEND
  }
  atomic {
#endif
    if :: allowed -> under_way = true; ended_early = ended_early || called_absent :: else fi;
    allowed = false
  }
  if :: goto dead :: skip fi;
  atomic { /* record_outcome */
    if
    :: executors && credit -> row.status = SUCCEEDED
    :: executors && !credit -> row.status = UNKNOWN; row.leased = false
    :: else
    fi
  }
dead:
  skip
}

/* Time goes on where nobody can do anything; without it spin sees no cycle in that. */
active proctype time() {
  do :: window <= SETTLED od
}

active proctype provider() {
end:
  do
  :: atomic { under_way -> under_way = false; credit = true }
  :: atomic { credit && !visible -> visible = true }
  od
}

/* A lease may end at any time; for what must come in the end, not while its owner works: that is
 * what the relations of the timings are for. */
#ifdef PUNCTUAL
#define may_end !(row.token == 1 && at_work[1] || row.token == 2 && at_work[2])
#else
#define may_end true
#endif
active proctype leases() {
end:
  do
  :: atomic { row.leased && looked_at_again && unresolved && may_end -> row.leased = false }
  od
}

active proctype windows() {
end:
  do
  :: atomic { window == OPEN -> window = OVER }
     /* The profile's promise: by then all that was sent is done and shown. */
  :: atomic { window == OVER && !under_way && (!credit || visible) -> window = SETTLED }
  od
}

active proctype replication() { /* asynchronous; the one failover loses what it had not copied */
end:
  do
  :: atomic { !failed_over && (row.version != standby.version || row.status != standby.status) ->
       copy(standby, row) }
  :: atomic { !failed_over ->
       failed_over = true; copy(row, standby);
       standby.status = 0; standby.version = 0; standby.token = 0; standby.leased = false;
       standby.owner = 0; row.leased = true }
  od
}

active proctype person() {
end:
  atomic { /* recheck: a compare-and-set, and due now */
    row.status == RECONCILE && !rechecked ->
    rechecked = true; row.status = UNKNOWN; row.token = 0; row.leased = false; row.owner = 0;
    called_absent = false
  }
}

inline forget() { /* what this daemon knew; its token is nobody's now */
  if :: row.token == me -> row.token = LOST :: else fi;
  if :: standby.token == me -> standby.token = LOST :: else fi;
#ifdef PUNCTUAL
  at_work[me] = false;
#endif
  version = 0; as_of = OPEN; verdict = NOTHING; holds = false
}

#ifdef NO_FENCE
#define fence unresolved
#else
#ifdef VERSION_ONLY
#define fence (unresolved && row.version == version)
#else
#define fence (unresolved && row.version == version && row.token == me)
#endif
#endif
#ifdef ADMITTED_ONLY
#define is_due (row.status == ADMITTED && !row.leased)
#else
#define is_due (unresolved && !row.leased)
#endif

inline take_over() {
  rewrote_final = rewrote_final || is_final;
  if :: is_final -> row.status = UNKNOWN :: else fi;
  row.version = row.version % VERSIONS + 1; row.token = me; row.leased = true; row.owner = me;
#ifdef PUNCTUAL
  at_work[me] = true;
#endif
  version = row.version; as_of = window; holds = true
}

inline judge(found) {
  if
  :: found -> verdict = SUCCEEDED
#ifdef INFER_FAILED
  :: !found && as_of == SETTLED -> verdict = FAILED
#else
  :: !found && as_of == SETTLED -> verdict = RECONCILE
#endif
  :: !found && as_of != SETTLED -> verdict = UNKNOWN
  fi;
  as_of = OPEN
}

inline record() {
  if
  :: fence ->
     stale_write = stale_write || row.owner != me;
     wrote_failed = wrote_failed || verdict == FAILED;
     untrue = untrue || (verdict == SUCCEEDED && !credit);
     called_absent = called_absent || verdict == RECONCILE;
     ended_early = ended_early || (verdict == RECONCILE && (credit || under_way));
     row.status = verdict; row.token = 0; row.owner = 0;
#ifdef NO_NEXT_LOOK
     looked_at_again = looked_at_again && verdict != UNKNOWN;
#endif
     row.leased = row.status == UNKNOWN /* until its next look */
  :: else /* lost: an event, and nothing is retried */
  fi
}

proctype daemon(byte me) {
  byte version, as_of = OPEN, verdict = NOTHING;
  bool holds, seen;
end:
  do
#ifdef STALE_LIST
  :: atomic { is_due && !holds && !seen -> seen = true }
  :: atomic { seen -> seen = false; take_over() }
#else
  :: atomic { is_due && !holds -> take_over() } /* the row is locked, and all is said again */
#endif
  :: atomic { holds && failure_to_come -> failure_to_come = false; forget() }
#ifdef LATE_AS_OF
  :: atomic { holds && verdict == NOTHING && !seen -> seen = true; found_then = visible }
  :: atomic { seen -> seen = false; as_of = window; judge(found_then) }
#else
#ifdef PENDING_PAYS
  :: atomic { holds && verdict == NOTHING -> judge((visible || under_way)) }
#else
  :: atomic { holds && verdict == NOTHING -> judge(visible) }
#endif
#endif
  :: atomic { holds && verdict != NOTHING -> record(); forget() }
  od
}

init {
  atomic {
    row.version = 1; row.leased = true; copy(standby, row);
    run daemon(1); run daemon(2)
  }
}

ltl safe { [] !(stale_write || rewrote_final || wrote_failed || untrue || ended_early) }
ltl one_owner { [] !stale_write }
ltl final { [] !rewrote_final }
ltl no_failed { [] !wrote_failed }
ltl truth { [] !untrue }
ltl no_early_end { [] !ended_early }
ltl decided { <>[] is_final }
