// SPDX-License-Identifier: Apache-2.0
// Many want one grant, over connections that break: exactly one operation comes of it, and nobody
// calls the provider without one.
#include <barrier>
#include <future>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/held_backend.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/test_provider.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kAdmission = "reconciled_admission";

Columns for_operation(int n) { return {{"operation_id", quoted(operation_id(n))}}; }

/// A proxy before the shared server, and an executor that goes through it.
struct Behind {
  std::string uri() const {
    return "postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/" +
           database.name();
  }

  Database database = scratch_database();
  TestProvider provider;
  Proxy proxy{Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port())};
  Executor executor{uri(), provider.port()};
};

/// One instance of a service: a pool of connections, all opened before anybody calls.
class Store {
 public:
  Store(const Database& database, int size) {
    for (int i = 0; i < size; ++i) pool_.emplace_back(database, kSuperuser, kAdmission);
  }
  std::vector<Session>& pool() { return pool_; }

 private:
  std::vector<Session> pool_;
};

TEST_CASE("of 50 concurrent admissions over two stores one is admitted and 49 are refused",
          "[race]") {
  constexpr int kEach = 25;
  const auto database = scratch_database();
  const bool stored = GENERATE(false, true);
  CAPTURE(stored);
  if (stored) database.execute(insert_grant(1));
  Store stores[]{{database, kEach}, {database, kEach}};

  std::barrier start(2 * kEach);
  std::vector<std::future<std::string>> answers;
  for (auto& store : stores) {
    for (auto& session : store.pool()) {
      const int n = static_cast<int>(answers.size()) + 1;
      answers.push_back(std::async(std::launch::async, [&session, &start, stored, n] {
        start.arrive_and_wait();
        const auto changed = for_operation(n);
        return answer_of(session.execute(stored ? admit_row(1, changed) : admit_token(1, changed)));
      }));
    }
  }
  std::map<std::string, int> seen;
  for (auto& answer : answers) ++seen[answer.get()];

  CHECK(seen == std::map<std::string, int>{{"Admitted - - -", 1}, {"Refused - - consumed", 49}});
  CHECK(database.query_value("SELECT count(*) FROM operations") == "1");
}

TEST_CASE("G12 an admission whose acknowledgement is lost is there for its own operation only",
          "[race]") {
  Behind world;
  world.proxy.set({.fault = Fault::lose_answer, .statement = "SELECT * FROM admit_token_grant"});
  CHECK(world.executor.carry_out(1) == "unavailable");
  REQUIRE(world.proxy.counts().hits == 1);
  CHECK(world.executor.carry_out(1) == "already Admitted");
  CHECK(world.executor.carry_out(1, for_operation(2)) == "refused");
  CHECK(world.provider.request_count() == 0);
  CHECK(world.database.query_value("SELECT string_agg(operation_id::text, ' ') FROM operations") ==
        operation_id(1));
}

TEST_CASE("with the store out of reach the provider is not called", "[race]") {
  Behind world;
  const auto fault = GENERATE(Fault::refuse, Fault::lose_request);
  world.proxy.set({.fault = fault, .statement = fault == Fault::refuse ? "" : "SELECT * FROM "});
  CHECK(world.executor.carry_out(1) == "unavailable");
  CHECK(world.provider.request_count() == 0);
  world.proxy.pass();
  CHECK(world.executor.carry_out(1) == "Succeeded");
}

TEST_CASE("a store that is lost after the admission lets nothing be sent", "[race]") {
  Behind world;
  world.proxy.set({.fault = Fault::lose_request, .statement = "SELECT * FROM may_submit"});
  CHECK(world.executor.carry_out(1) == "too late");
  REQUIRE(world.proxy.counts().hits == 1);
  CHECK(world.provider.request_count() == 0);
}

TEST_CASE("an admission that is cancelled spends nothing, and the provider is not called",
          "[race]") {
  const auto database = scratch_database();
  TestProvider provider;
  Executor executor(database.uri(), provider.port());
  Session holder(database, kSuperuser, "");
  holder.execute(kHoldBeforeTheKey);
  auto told = std::async(std::launch::async, [&] { return executor.carry_out(1); });
  const std::string waiting =
      "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  while (database.query_value("SELECT count(*) " + waiting) != "1") {
  }
  database.execute("SELECT pg_cancel_backend(pid) " + waiting);
  CHECK(told.get() == "unavailable");
  holder.execute("COMMIT");
  CHECK(provider.request_count() == 0);
  CHECK(database.query_value("SELECT count(*) FROM grant_consumptions") == "0");
  CHECK(executor.carry_out(1) == "Succeeded");
}

TEST_CASE("of a revocation and an admission at once exactly one wins, 200 rounds", "[race]") {
  constexpr int kRounds = 200;
  const auto database = scratch_database();
  const bool stored = GENERATE(false, true);
  CAPTURE(stored);
  if (stored) {
    std::string grants;
    for (int n = 1; n <= kRounds; ++n) grants += insert_grant(n);
    database.execute(grants);
  }
  Session service(database, kSuperuser, kAdmission);
  Session issuer(database, kSuperuser, "reconciled_revocation");
  std::barrier start(2);
  const auto revoke = [&](int n) {
    start.arrive_and_wait();
    return answer_of(
        issuer.execute(call(stored ? "revoke_row_grant" : "revoke_token_grant",
                            {{"issuer", "'issuer-1'"},
                             {"grant_id", quoted("grant-" + std::to_string(n))},
                             {"expires_at", stored ? "" : "now() + interval '10 minutes'"}})));
  };
  int revoked = 0;
  for (int n = 1; n <= kRounds; ++n) {
    auto revocation = std::async(std::launch::async, revoke, n);
    start.arrive_and_wait();
    const auto admission = answer_of(service.execute(stored ? admit_row(n) : admit_token(n)));
    const bool was_revoked = revocation.get() == "t";
    REQUIRE(admission == (was_revoked ? "Refused - - revoked" : "Admitted - - -"));
    revoked += was_revoked ? 1 : 0;
  }
  CHECK(database.query_value("SELECT count(*) FROM operations") ==
        std::to_string(kRounds - revoked));
}

}  // namespace
}  // namespace reconciled::test
