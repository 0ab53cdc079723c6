// SPDX-License-Identifier: Apache-2.0
// An executor that stops, dies or sleeps between the steps of the contract, and a recovery that
// comes after it. The provider's own ledger says how often money moved.
#include <algorithm>
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/recovery_run.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/test_provider.hpp"

namespace reconciled::test {
namespace {

constexpr int kDecided = 0;
constexpr int kUndecided = 1;

struct World {
  /// Status, version and provider reference.
  std::string operation() const {
    return database.query_value(
        "SELECT concat_ws(' ', status, owner_version, provider_reference) FROM operations");
  }
  std::string evidence() const {
    return database.query_value(
        "SELECT string_agg(concat_ws(' ', step, decision, reason), ', ' ORDER BY evidence_id) "
        "FROM recovery_evidence");
  }
  /// Creates that the provider has been sent.
  long creates() const {
    const auto all = provider.requests();
    return std::count_if(all.begin(), all.end(),
                         [](const Seen& seen) { return seen.method == "POST"; });
  }
  std::future<std::string> start(int n = 1) {
    return std::async(std::launch::async, [this, n] { return executor.carry_out(n); });
  }
  /// Pauses the executor at the point, and its lease ends there.
  std::future<std::string> sleeps_past_its_lease(Point point) {
    executor.pause_at(point);
    auto told = start();
    executor.wait_until_paused();
    database.execute(end_lease(1));
    return told;
  }
  /// The provider's answer to the create, which is in its ledger before the answer is spoilt.
  void answers(Behaviour behaviour) { provider.then(operation_id(1), {std::move(behaviour)}); }

  Database database = scratch_database();
  TestProvider provider;
  Executor executor{database.uri(), provider.port()};
  RecoveryRun recovery{database, provider};
};

TEST_CASE("an executor that dies right after its admission is followed by recovery", "[race]") {
  World world;
  world.executor.crash_at(Point::after_admission);
  CHECK_THROWS_AS(world.executor.carry_out(1), Crashed);
  CHECK(world.operation() == "Admitted 1");
  // Not before its lease has ended.
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Admitted 1");
  world.database.execute(end_lease(1));
  CHECK(world.recovery.once() == kUndecided);
  CHECK(world.operation() == "Unknown 2");
  CHECK(world.creates() == 0);
}

TEST_CASE("an executor that dies in its call is settled by what the provider holds", "[race]") {
  World world;
  world.executor.crash_at(Point::after_answer);
  CHECK_THROWS_AS(world.executor.carry_out(1), Crashed);
  world.database.execute(end_lease(1));
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Succeeded 2 cr_1");
  CHECK(world.creates() == 1);
}

TEST_CASE("the same operation again, while the first is under way, is pending and sends nothing",
          "[race]") {
  World world;
  const auto point = GENERATE(Point::after_admission, Point::before_send);
  world.executor.pause_at(point);
  auto first = world.start();
  world.executor.wait_until_paused();
  Executor other(world.database.uri(), world.provider.port());
  CHECK(other.carry_out(1) == "already Admitted");
  CHECK(other.carry_out(1, {{"amount", "1"}}) == "refused");
  CHECK(other.carry_out(1, {{"caller_id", "'caller-2'"}}) == "refused");
  CHECK(world.creates() == 0);
  world.executor.resume();
  CHECK(first.get() == "Succeeded");
  CHECK(other.carry_out(1) == "already Succeeded");
  CHECK(world.creates() == 1);
}

TEST_CASE("a success that could not be recorded is found by recovery, and money moved once",
          "[race]") {
  World world;
  Proxy proxy{Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port())};
  Executor executor("postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/" +
                        world.database.name(),
                    world.provider.port());
  proxy.set({.fault = Fault::lose_request, .statement = "SELECT * FROM record_outcome"});
  CHECK(executor.carry_out(1) == "not recorded");
  REQUIRE(proxy.counts().hits == 1);
  CHECK(world.operation() == "Admitted 1");
  world.database.execute(end_lease(1));
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Succeeded 2 cr_1");
  CHECK(world.creates() == 1);
}

TEST_CASE("a definite refusal is Failed by the executor, and its grant stays spent", "[race]") {
  World world;
  world.answers({.status = 402});
  CHECK(world.executor.carry_out(1) == "Failed");
  CHECK(world.operation() == "Failed 1");
  CHECK(world.evidence() == "executor Failed reported-by-executor");
  CHECK(world.executor.carry_out(1, {{"operation_id", quoted(operation_id(2))}}) == "refused");
  world.database.execute(end_lease(1));
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Failed 1");
  CHECK(world.creates() == 1);
}

TEST_CASE("an answer that never came is Unknown by the executor, and recovery finds the credit",
          "[race]") {
  World world;
  world.answers({.cut = Cut::before_answer});
  CHECK(world.executor.carry_out(1) == "Unknown");
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Succeeded 2 cr_1");
  CHECK(world.creates() == 1);
}

struct Late {
  const char* outcome;
  Behaviour answer;
};

TEST_CASE("G1 an executor that slept past its lease changes nothing with a late outcome",
          "[race]") {
  World world;
  const auto late = GENERATE(values<Late>(
      {{"Succeeded", {}}, {"Failed", {.status = 402}}, {"Unknown", {.cut = Cut::before_answer}}}));
  const bool is_found = GENERATE(true, false);
  CAPTURE(late.outcome, is_found);
  world.answers(late.answer);
  auto told = world.sleeps_past_its_lease(Point::after_answer);
  if (!is_found) world.provider.forget_credits(operation_id(1));
  CHECK(world.recovery.once() == (is_found ? kDecided : kUndecided));
  const auto settled = world.operation();
  CHECK(settled == (is_found ? "Succeeded 2 cr_1" : "Unknown 2"));
  world.executor.resume();
  CHECK(told.get() == "not recorded");
  CHECK(world.operation() == settled);
  CHECK(world.evidence().find("executor") == std::string::npos);
}

TEST_CASE("an executor that lost its operation, or came too late for it, sends nothing", "[race]") {
  World world;
  SECTION("its lease has ended") {
    auto told = world.sleeps_past_its_lease(Point::after_admission);
    world.executor.resume();
    CHECK(told.get() == "too late");
  }
  SECTION("recovery has taken it over and given it up again") {
    auto told = world.sleeps_past_its_lease(Point::after_admission);
    CHECK(world.recovery.once() == kUndecided);
    world.database.execute("UPDATE operations SET lease_until = now() + interval '1 hour'");
    world.executor.resume();
    CHECK(told.get() == "too late");
  }
  SECTION("submit_by has passed") {
    world.executor.pause_at(Point::after_admission);
    auto told = world.start();
    world.executor.wait_until_paused();
    world.database.execute("UPDATE operations SET submit_by = now()");
    world.executor.resume();
    CHECK(told.get() == "too late");
  }
  CHECK(world.creates() == 0);
}

TEST_CASE("G5 absence while a create may be under way is not final", "[race]") {
  World world;
  auto told = world.sleeps_past_its_lease(Point::before_send);
  CHECK(world.recovery.once() == kUndecided);
  CHECK(world.operation() == "Unknown 2");
  CHECK(world.evidence() == "lookup Unknown absent-so-far");
  world.executor.resume();
  CHECK(told.get() == "not recorded");
  CHECK(world.creates() == 1);
  world.database.execute(end_lease(1));
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "Succeeded 3 cr_1");
}

TEST_CASE("G5 G6 after the window an absence is for a person, and nothing is created", "[race]") {
  World world;
  world.executor.crash_at(Point::before_send);
  CHECK_THROWS_AS(world.executor.carry_out(1), Crashed);
  world.database.execute(end_window(1));
  CHECK(world.recovery.once() == kDecided);
  CHECK(world.operation() == "NeedsReconciliation 2");
  CHECK(world.evidence() == "lookup NeedsReconciliation absent-after-window");
  CHECK(world.creates() == 0);
}

}  // namespace
}  // namespace reconciled::test
