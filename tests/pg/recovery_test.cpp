// SPDX-License-Identifier: Apache-2.0
// A pass on a real server: who owns what, what is written, and what becomes of rows that the
// database refuses or somebody else holds.
#include "tests/support/pass_on_server.hpp"

namespace reconciled::test {
namespace {

std::string row_of(const Database& database, int n) {
  return database.query_value("SELECT operations::text FROM operations WHERE operation_id = '" +
                              operation_id(n) + "'");
}

/// status, version and whether somebody owns it, of one operation.
std::string state_of(const Database& database, int n) {
  return database.query_value(
      "SELECT concat_ws(' ', status, owner_version, owner_token IS NOT NULL) FROM operations WHERE "
      "operation_id = '" +
      operation_id(n) + "'");
}

std::string evidence_of(const Database& database, int n) {
  return database.query_value(
      "SELECT coalesce(string_agg(concat_ws(' ', instance, owner_version, step, finding, decision, "
      "reason), ', ' ORDER BY evidence_id), 'none') FROM recovery_evidence WHERE operation_id = '" +
      operation_id(n) + "'");
}

struct Bench {
  Database database = scratch_database();
  asio::io_context loop;
  Daemon daemon{loop, database.uri(kRecovery)};

  void recorded(std::size_t count) {
    until(loop, [&] { return daemon.events.recorded_ids.size() == count; });
  }
};

TEST_CASE("G4 G7 a due operation with one matching credit becomes Succeeded with one evidence row",
          "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1) + insert_operation(2, {{"status", "'Succeeded'"}}));
  const auto final = row_of(bench.database, 2);
  bench.daemon.start();
  bench.recorded(1);
  bench.daemon.stop();
  CHECK(state_of(bench.database, 1) == "Succeeded 2 f");
  CHECK(evidence_of(bench.database, 1) == "instance-1 2 lookup found Succeeded proven");
  CHECK(row_of(bench.database, 2) == final);
  CHECK(bench.database.query_value("SELECT provider_reference FROM operations WHERE status = "
                                   "'Succeeded' AND owner_version = 2") == "cr_1");
}

TEST_CASE("G5 an Unknown is given up and looked at again when its wait is over", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.terms.backoff = {1ms, 1ms};
  bench.daemon.provider->answer.then(absent).then(absent);
  bench.daemon.start();
  bench.recorded(3);
  bench.daemon.stop();
  CHECK(bench.daemon.provider->asked.size() == 3);
  CHECK(state_of(bench.database, 1) == "Succeeded 4 f");
  CHECK(evidence_of(bench.database, 1) ==
        "instance-1 2 lookup absent Unknown absent-so-far, instance-1 3 lookup absent Unknown "
        "absent-so-far, instance-1 4 lookup found Succeeded proven");
}

TEST_CASE("G8 an Unknown waits under no owner until its next look", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.provider->answer.then(absent);
  bench.daemon.start();
  bench.recorded(1);
  bench.daemon.some_turns();
  CHECK(bench.daemon.provider->asked.size() == 1);
  CHECK(state_of(bench.database, 1) == "Unknown 2 f");
  CHECK(bench.database.query_value("SELECT lease_until BETWEEN now() + interval '20 minutes' AND "
                                   "now() + interval '38 minutes' FROM operations") == "t");
}

TEST_CASE("G8 a poisoned row and a locked one do not hold up the others", "[recovery]") {
  Bench bench;
  auto options = Daemon::two_sessions(bench.database.uri(kRecovery));
  options.session.statement_timeout = 4s;
  Daemon daemon(bench.loop, options, "instance-2");
  std::string rows;
  for (int n = 1; n <= 4; ++n)
    rows += insert_operation(n, n == 1 ? Columns{{"owner_version", "4"}} : Columns{});
  bench.database.execute(rows);
  bench.database.execute(
      "CREATE FUNCTION public.poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
      "RAISE EXCEPTION 'poisoned'; END $$; "
      "CREATE TRIGGER poison BEFORE UPDATE ON operations FOR EACH ROW WHEN (NEW.owner_token IS "
      "NULL "
      "AND NEW.operation_id = '" +
      operation_id(1) + "') EXECUTE FUNCTION public.poison()");
  daemon.provider->gate.close();
  daemon.start();
  until(bench.loop, [&] { return daemon.provider->asked.size() == 4; });
  const auto locked = row_of(bench.database, 2);
  {
    Session somebody(bench.database, kSuperuser, "");
    somebody.execute("BEGIN");
    somebody.execute("SELECT FROM operations WHERE operation_id = '" + operation_id(2) +
                     "' FOR UPDATE");
    daemon.provider->gate.open();
    until(bench.loop, [&] {
      return daemon.events.recorded_ids.size() == 2 && daemon.events.refused.size() == 2 &&
             daemon.pass->in_flight() == 0;
    });
  }
  std::ranges::sort(daemon.events.refused);
  CHECK(daemon.events.refused == std::vector<std::string>{"1 P0001", "2 55P03"});
  CHECK(daemon.events.lost.empty());
  CHECK(state_of(bench.database, 3) == "Succeeded 2 f");
  CHECK(state_of(bench.database, 4) == "Succeeded 2 f");
  CHECK(row_of(bench.database, 2) == locked);
  // The poisoned one keeps its owner and moves out of the way: 30 minutes doubled thrice.
  CHECK(state_of(bench.database, 1) == "Admitted 5 t");
  CHECK(bench.database.query_value("SELECT lease_until BETWEEN now() + interval '3 hours 50 "
                                   "minutes' AND now() + interval '5 hours' FROM operations WHERE "
                                   "operation_id = '" +
                                   operation_id(1) + "'") == "t");
  CHECK(bench.database.query_value("SELECT count(*) FROM recovery_evidence") == "2");
  CHECK(evidence_of(bench.database, 1) == "none");
  CHECK(evidence_of(bench.database, 2) == "none");
}

TEST_CASE("G1 an owner that slept through a takeover and a verdict overwrites nothing",
          "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1) + insert_operation(2) + insert_operation(3));
  bench.daemon.provider->gate.close();
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.provider->asked.size() == 3; });
  // Settled by the next owner; still with the next owner; handed back to nobody at our version.
  const auto set = [&](int n, const std::string& what) {
    bench.database.execute("UPDATE operations SET " + what + " WHERE operation_id = '" +
                           operation_id(n) + "'");
  };
  set(1, "owner_version = 3, owner_token = NULL, status = 'Succeeded', provider_reference = 'o'");
  set(2, "owner_version = 3, owner_token = gen_random_uuid()");
  set(3, "owner_token = gen_random_uuid()");
  std::vector<std::string> before;
  for (int n = 1; n <= 3; ++n) before.push_back(row_of(bench.database, n));
  bench.daemon.provider->gate.open();
  until(bench.loop, [&] { return bench.daemon.events.lost.size() == 3; });
  bench.daemon.stop();
  CHECK(bench.daemon.events.recorded_ids.empty());
  for (int n = 1; n <= 3; ++n) {
    INFO(n);
    CHECK(row_of(bench.database, n) == before[static_cast<std::size_t>(n - 1)]);
    CHECK(evidence_of(bench.database, n) == "none");
  }
}

TEST_CASE("G2 what a person decided while we looked stays as it is", "[recovery]") {
  Bench bench;
  const auto* status = GENERATE("Succeeded", "Failed", "NeedsReconciliation");
  // The statements and the policies each refuse it by themselves; a superuser meets no policy.
  const bool policies = GENERATE(true, false);
  auto options = Daemon::two_sessions(bench.database.uri(policies ? kRecovery : kSuperuser));
  if (!policies) options.session.role.reset();
  Daemon daemon(bench.loop, options);
  bench.database.execute(insert_operation(1));
  daemon.provider->gate.close();
  daemon.start();
  until(bench.loop, [&] { return daemon.provider->asked.size() == 1; });
  // Even if version and token were still ours.
  bench.database.execute(std::string("UPDATE operations SET status = '") + status + "'");
  const auto before = row_of(bench.database, 1);
  daemon.provider->gate.open();
  until(bench.loop, [&] { return daemon.events.lost.size() == 1; });
  CHECK(row_of(bench.database, 1) == before);
  CHECK(evidence_of(bench.database, 1) == "none");
}

TEST_CASE("a due row that somebody holds locked does not make the pass spin", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  {
    Session somebody(bench.database, kSuperuser, "");
    somebody.execute("BEGIN");
    somebody.execute("SELECT FROM operations FOR UPDATE");
    bench.daemon.start();
    until(bench.loop, [&] { return bench.daemon.database.statements() == 2; });
    bench.daemon.some_turns();
    CHECK(bench.daemon.database.statements() == 2);
    CHECK(bench.daemon.provider->asked.empty());
    somebody.execute("ROLLBACK");
  }
  bench.daemon.look_now();
  bench.recorded(1);
}

TEST_CASE("an operation is picked up when its lease ends, not at the next poll", "[recovery]") {
  Bench bench;
  bench.database.execute(
      insert_operation(1, {{"lease_until", "clock_timestamp() + interval '2 seconds'"}}));
  bench.daemon.start();
  bench.recorded(1);
  CHECK(bench.database.query_value("SELECT observed_at >= created_at + interval '2 seconds' FROM "
                                   "recovery_evidence JOIN operations USING (operation_id)") ==
        "t");
}

TEST_CASE("two daemons share the work, and nothing is looked up twice in one lease", "[recovery]") {
  constexpr int kOperations = 60;
  Bench bench;
  Daemon other(bench.loop, bench.database.uri(kRecovery), "instance-2");
  std::string rows;
  for (int n = 1; n <= kOperations; ++n) rows += insert_operation(n);
  bench.database.execute(rows);
  bench.daemon.start();
  other.start();
  until(bench.loop, [&] {
    return bench.daemon.events.recorded_ids.size() + other.events.recorded_ids.size() ==
           kOperations;
  });
  auto asked = bench.daemon.provider->asked;
  CHECK_FALSE(asked.empty());
  CHECK_FALSE(other.provider->asked.empty());
  asked.insert(asked.end(), other.provider->asked.begin(), other.provider->asked.end());
  std::ranges::sort(asked);
  CHECK(std::ranges::adjacent_find(asked) == asked.end());
  CHECK(asked.size() == kOperations);
  CHECK(bench.database.query_value("SELECT count(*) FROM recovery_evidence") ==
        std::to_string(kOperations));
  CHECK(bench.database.query_value("SELECT count(*) FROM operations WHERE status = 'Succeeded' AND "
                                   "owner_version = 2") == std::to_string(kOperations));
}

TEST_CASE("G12 a pass that is stopped hands back what it cannot finish", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.terms.drain_timeout = 1ms;
  bench.daemon.provider->gate.close();
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.provider->asked.size() == 1; });
  bench.daemon.stop();
  CHECK(bench.daemon.events.handed == 1);
  CHECK(state_of(bench.database, 1) == "Admitted 2 f");
  CHECK(evidence_of(bench.database, 1) == "instance-1 2 handback handed-back shutdown");
  CHECK(bench.database.query_value("SELECT lease_until <= clock_timestamp() FROM operations") ==
        "t");
}

TEST_CASE("a one-shot ends though a due row is locked, and that row is counted", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1) + insert_operation(2));
  const auto now = std::stoll(bench.database.query_value(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"));
  Session somebody(bench.database, kSuperuser, "");
  somebody.execute("BEGIN");
  somebody.execute("SELECT FROM operations WHERE operation_id = '" + operation_id(1) +
                   "' FOR UPDATE");
  auto& daemon = bench.daemon;
  daemon.start(OneShot{DatabaseTime{Duration{now}}});
  until(bench.loop, [&] { return daemon.result->ended(); });
  CHECK(daemon.events.recorded_ids == Ids{id(2)});
  const auto left = spawn(bench.loop, daemon.store.count_due(DatabaseTime{Duration{now}}));
  until(bench.loop, [&] { return left->ended(); });
  CHECK(left->value->value() == 1);
}

TEST_CASE("a one-shot takes only what was due when it began", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.provider->answer.then(absent);
  bench.daemon.terms.backoff = {1ms, 1ms};
  const auto now = std::stoll(bench.database.query_value(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"));
  auto& daemon = bench.daemon;
  daemon.start(OneShot{DatabaseTime{Duration{now}}});
  until(bench.loop, [&] { return daemon.result->ended(); });
  CHECK(daemon.result->value->undecided == 1);
  const auto left = spawn(bench.loop, daemon.store.count_due(DatabaseTime{Duration{now}}));
  until(bench.loop, [&] { return left->ended(); });
  CHECK(left->value->value() == 0);
  CHECK(daemon.provider->asked.size() == 1);
}

}  // namespace
}  // namespace reconciled::test
