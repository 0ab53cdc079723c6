// SPDX-License-Identifier: Apache-2.0
// G9 end to end: the real sweep with its real margin, the real functions, and a claim that is held
// while the server's clock runs past deadline and margin. Each case has its mutation: without the
// mark's trigger, and with a sweep that does not see that it is missing, the grant is spent twice.
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/held_backend.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/shifted_cluster.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

ShiftedCluster& shifted() {
  static ShiftedCluster cluster;
  return cluster;
}

/// Says that every trigger is as it should be.
struct BlindStore final : CleanupStore {
  explicit BlindStore(CleanupStore& seeing) : store(seeing) {}
  Awaitable<sql::Result<ServerFacts>> server() override { return store.server(); }
  Awaitable<sql::Result<MarkFacts>> mark() override {
    auto facts = co_await store.mark();
    if (facts) facts->triggers.clear();
    co_return facts;
  }
  Awaitable<sql::Result<BoundFacts>> bound() override { return store.bound(); }
  Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) override {
    return store.raise_mark(cut_off);
  }
  Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime at, int most) override {
    return store.delete_consumptions(at, most);
  }
  Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int most) override {
    return store.delete_idempotency_records(most);
  }
  CleanupStore& store;
};

/// Grant 1 is spent and valid for ten minutes more, and its operation is in an archive.
struct Spent {
  Spent() {
    shifted().shift(0s);
    database.execute("GRANT SELECT, INSERT ON grant_consumptions TO service_login");
    expires_at = quoted(database.query_value("SELECT now() + interval '10 minutes'"));
    REQUIRE(answer_of(database, admit_token(1, {{"expires_at", expires_at}})) == "Admitted - - -");
    database.execute("CREATE TABLE archive AS TABLE operations; DELETE FROM operations");
    if (!has_trigger)
      database.execute("DROP TRIGGER grant_consumptions_above_mark ON grant_consumptions");
  }
  ~Spent() { shifted().shift(0s); }

  std::string second_claim() const {
    return admit_token(1, {{"operation_id", quoted(operation_id(2))}, {"expires_at", expires_at}});
  }
  /// A service with SQL of its own: the claim and the operation in one statement.
  std::string direct_claim() const {
    return "WITH claim AS (INSERT INTO grant_consumptions (issuer, grant_id, operation_id, "
           "consumed_at, retain_until) VALUES ('issuer-1', 'grant-1', '" +
           operation_id(2) + "', clock_timestamp(), timestamptz " + expires_at +
           " + interval '30 s') ON CONFLICT DO NOTHING RETURNING *) INSERT INTO operations "
           "(operation_id, issuer, grant_id, caller_id, account_id, amount, currency, status, "
           "lease_until, submit_by, created_at) SELECT operation_id, issuer, grant_id, 'caller-1', "
           "'A-1', 250, 'USD', 'Admitted', now(), now(), now() FROM claim RETURNING status";
  }

  /// A sweep by a daemon that has just started on a host whose clock is the server's.
  std::int64_t sweep() {
    bench.clocks.wall = [] { return HostTime{host_time().since_epoch + shifted().shifted_by()}; };
    bench.sweeper.emplace(bench.loop.get_executor(),
                          has_trigger ? static_cast<CleanupStore&>(bench.store) : blind,
                          bench.events, std::make_shared<CleanupTerms>(bench.terms), bench.clocks);
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.events.texts.empty());
    return bench.events.last ? bench.events.last->consumptions : -1;
  }

  /// One use in all, and nothing of the second attempt; without the trigger there are two.
  void check(const std::string& outcome, const std::string& claimed = "Admitted - - -") {
    CAPTURE(has_trigger);
    CHECK(outcome == (has_trigger ? "RC001" : claimed));
    CHECK(database.query_value(
              "SELECT concat_ws(' ', (SELECT count(*) FROM grant_consumptions), "
              "(SELECT count(*) FROM operations), (SELECT count(*) FROM archive))") ==
          (has_trigger ? "0 0 1" : "1 1 1"));
  }

  Database database = shifted().cluster().scratch_database();
  SweepBench bench{database};
  BlindStore blind{bench.store};
  bool has_trigger = GENERATE(true, false);
  std::string expires_at;
};

TEST_CASE("G9 a claim held before its key while the real sweep passes the boundary", "[held]") {
  Spent spent;
  const bool direct = GENERATE(false, true);
  Session holder(spent.database, kSuperuser, "");
  holder.execute(kHoldBeforeTheKey);
  HeldBackend held(spent.database, direct ? spent.direct_claim() : spent.second_claim(),
                   direct ? kService : kSuperuser, direct ? "" : "reconciled_admission");
  CHECK(held.waits_for() == "operations RowExclusiveLock");
  CHECK_FALSE(held.has_written());
  CHECK(spent.sweep() == 0);  // not yet
  shifted().shift(21min);
  CHECK(spent.sweep() == 1);
  holder.execute("COMMIT");
  spent.check(held.end(), direct ? "Admitted" : "Admitted - - -");
}

TEST_CASE("G9 the same at REPEATABLE READ", "[held]") {
  Spent spent;
  Session holder(spent.database, kSuperuser, "");
  holder.execute(kHoldBeforeTheKey);
  HeldBackend held(spent.database,
                   "BEGIN ISOLATION LEVEL REPEATABLE READ; " + spent.direct_claim() + "; COMMIT",
                   kService, "");
  CHECK(held.waits_for() == "operations RowExclusiveLock");
  shifted().shift(21min);
  CHECK(spent.sweep() == 1);
  holder.execute("COMMIT");
  spent.check(held.end(), "no row");
}

TEST_CASE("G9 a backend held before its transaction starts", "[held]") {
  Spent spent;
  Session holder(spent.database, kSuperuser, "");
  holder.execute(kCloseTheGate);
  HeldBackend held(spent.database, after_the_gate(spent.second_claim()), kSuperuser,
                   "reconciled_admission");
  CHECK(held.waits_for() == "advisory ExclusiveLock");
  shifted().shift(21min);
  CHECK(spent.sweep() == 1);
  holder.execute("COMMIT");
  spent.check(held.end());
}

TEST_CASE("G9 a claim that waits on the real sweep's delete", "[held]") {
  Spent spent;
  // The sweep's delete waits, with the row deleted, until the gate opens.
  spent.database.execute(
      "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';"
      "CREATE TRIGGER waits AFTER DELETE ON grant_consumptions FOR EACH ROW EXECUTE FUNCTION "
      "wait()");
  Session gate(spent.database, kSuperuser, "");
  gate.execute(kCloseTheGate);
  Session holder(spent.database, kSuperuser, "");
  holder.execute(kHoldBeforeTheKey);
  HeldBackend held(spent.database, spent.second_claim(), kSuperuser, "reconciled_admission");
  CHECK(held.waits_for() == "operations RowExclusiveLock");
  shifted().shift(21min);
  std::thread opener([&] {
    // When the sweep has deleted and waits, the claim goes on and waits for the sweep.
    while (spent.database.query_value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' "
                                      "AND NOT granted") != "1") {
    }
    holder.execute("COMMIT");
    while (spent.database.query_value("SELECT count(*) FROM pg_locks WHERE locktype = "
                                      "'transactionid' AND NOT granted AND pid = " +
                                      std::to_string(held.pid())) != "1") {
    }
    gate.execute("COMMIT");
  });
  CHECK(spent.sweep() == 1);
  opener.join();
  spent.check(held.end());
}

TEST_CASE("G9 a raised leeway opens nothing that was swept", "[held]") {
  Spent spent;
  shifted().shift(21min);
  CHECK(spent.sweep() == 1);
  spent.database.execute("UPDATE contract_timings SET admission_leeway = '2 hours'");
  const auto state = failure_as(spent.database, spent.second_claim());
  spent.check(state.empty() ? "Admitted - - -" : state);
}

TEST_CASE("G9 a sweep on a clock two hours ahead, which was then set right", "[held]") {
  Spent spent;
  shifted().shift(2h);
  CHECK(spent.sweep() == 1);  // of a grant that is still valid
  shifted().shift(0s);
  const auto state = failure_as(spent.database, spent.second_claim());
  spent.check(state.empty() ? "Admitted - - -" : state);
  // The outage that it costs: other grants are refused as well until the mark is reached.
  if (spent.has_trigger) {
    CHECK(failure_as(spent.database, admit_token(3)) == "RC001");
    shifted().shift(2h);
    CHECK(answer_of(spent.database, admit_token(3)) == "Admitted - - -");
  }
}

TEST_CASE("a server two hours ahead of the host, or behind it, is not swept", "[held]") {
  shifted().shift(0s);
  const auto database = shifted().cluster().scratch_database();
  database.execute(insert_consumptions(3, "6 hours"));
  SweepBench bench(database);
  const bool while_running = GENERATE(true, false);
  const auto by = GENERATE(Duration{2h}, Duration{-3h});
  bench.terms.batch = 1;
  if (while_running) CHECK(bench.sweep() == SweepEnd::finished);
  if (while_running) database.execute(insert_consumptions(1, "0 hours"));
  const auto before = database.query_value("SELECT cut_off FROM cleanup_mark");
  shifted().shift(by);
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.keys == (while_running ? std::vector<std::string>{"host-clock", "clock-step"}
                                            : std::vector<std::string>{"host-clock"}));
  CHECK_THAT(bench.events.texts.at(0),
             contains_text(by > 0s ? "ahead of this host's" : "behind this host's"));
  CHECK(database.query_value("SELECT cut_off FROM cleanup_mark") == before);
  shifted().shift(0s);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.permissions == 1);
}

}  // namespace
}  // namespace reconciled::test
