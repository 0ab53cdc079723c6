// SPDX-License-Identifier: Apache-2.0
// Cleanup on a server that waits for a synchronous standby: two real servers.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

constexpr int kWithTransactionTimeout = 170000;

/// A primary with three rows to delete, and a standby that every commit waits for from now on.
class Replicated {
 public:
  Replicated() {
    database.execute(insert_consumptions(3, "1 hour"));
    primary.stop();
    standby.emplace(primary, "standby");
    primary.start();
    await("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'", "1");
    wait_for("standby");
    await("SELECT sync_state FROM pg_stat_replication", "sync");
  }
  /// Whatever a test leaves behind, the end must not wait for the standby.
  ~Replicated() { wait_for(""); }

  void await(const std::string& question, const std::string& answer) const {
    while (database.query_value(question) != answer) {
    }
  }
  std::string rows() const {
    return database.query_value("SELECT count(*) FROM grant_consumptions");
  }
  std::string waiting() const {
    return database.query_value(
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE "
        "'%UPDATE cleanup_mark%'");
  }

  Cluster primary;
  Database database = primary.scratch_database();
  std::optional<Cluster> standby;

 private:
  /// Writes no WAL, and so never waits itself.
  void wait_for(const std::string& names) const {
    database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    database.execute("SELECT pg_reload_conf()");
    await("SHOW synchronous_standby_names", names);
  }
};

TEST_CASE("a synchronous standby is waited for, and require_bound asks how long", "[standby]") {
  Replicated world;
  SweepBench bench(world.database);
  const auto call = spawn(bench.loop, bench.store.bound());
  until(bench.loop, [&] { return call->ended(); });
  auto facts = call->value->value();
  const bool has_setting = facts.server_version >= kWithTransactionTimeout;
  // Before 17 the lack of transaction_timeout refuses first; the standby is judged all the same.
  facts.server_version = kWithTransactionTimeout;
  const auto refusals = judge_bound(facts, {10min, 0s, 5s});
  REQUIRE(refusals.size() == 1);
  CHECK_THAT(explain(refusals[0]), contains_text("synchronous_standby_names is 'standby'"));
  CHECK(judge_bound(facts, {10min, 1min, 5s}).empty());

  if (has_setting) {
    bench.terms.require_bound = true;
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.events.keys == std::vector<std::string>{"standby-wait"});
    CHECK(world.rows() == "3");
    bench.terms.timings.replication_wait_bound = 1min;
    bench.start();
  }
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(world.rows() == "0");
}

TEST_CASE("G9 a mark that waits for a standby that is gone lets no row go; then all is made up for",
          "[standby]") {
  Replicated world;
  world.standby->stop();
  auto options = SweepBench::options(world.database.uri());
  options.session.statement_timeout = 1s;
  options.grace = 1s;
  SweepBench bench(options);
  bench.start();
  const auto swept = spawn(bench.loop, bench.sweeper->sweep());
  // statement_timeout does not end a COMMIT, so that it is the call's own deadline that does.
  until(bench.loop, [&] { return world.waiting() == "1"; });
  CHECK_FALSE(swept->ended());
  until(bench.loop, [&] { return swept->ended(); });
  CHECK(*swept->value == SweepEnd::refused);
  REQUIRE(bench.events.texts.size() == 1);
  CHECK_THAT(bench.events.texts[0], contains_text("raising the mark"));
  CHECK(world.rows() == "3");
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(world.rows() == "3");

  // What recovery asks is answered meanwhile.
  DatabaseBench recovery(world.database.uri(kRecovery));
  CHECK(recovery.cell(sql::statements::contract_version) ==
        world.database.query_value("SELECT version FROM contract_version"));

  world.standby->start();
  world.await("SELECT sync_state FROM pg_stat_replication", "sync");
  world.await("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", "0");
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(world.rows() == "0");
}

}  // namespace
}  // namespace reconciled::test
