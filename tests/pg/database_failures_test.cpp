// SPDX-License-Identifier: Apache-2.0
// The door to PostgreSQL while the server hangs, restarts and dies: a doubt where there is one,
// none where there is none, and the next call works (design G12).
#include <string_view>

#include "sql/database.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/proxy.hpp"

namespace reconciled::test {
namespace {

using sql::Trouble;

constexpr sql::Statement kOne{"one", "SELECT 1"};
constexpr sql::Statement kHang{"hang", "SELECT pg_sleep(600)"};
constexpr sql::Statement kPatient{"patient", "SELECT set_config('statement_timeout', '0', false)"};

sql::DatabaseOptions superuser_options(const std::string& uri) {
  auto options = recovery_options(uri);
  options.session.role.reset();
  return options;
}

/// Until the server runs the hanging statement.
void wait_for_hang(DatabaseBench& bench, const Cluster& server) {
  until(bench.loop, [&] {
    asio::post(bench.loop, [] {});
    pqxx::connection connection(server.uri());
    return pqxx::nontransaction(connection)
               .exec("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'")[0][0]
               .as<int>() == 1;
  });
}

TEST_CASE("G12 a call that does not return is ended in doubt, and the next one works",
          "[database]") {
  auto options = superuser_options(shared_cluster().uri());
  options.session.statement_timeout = 500ms;
  options.grace = 500ms;
  DatabaseBench bench(options);
  auto ready = bench.run(kPatient);
  for (int tries = 0; ready.has_error() && tries < 20; ++tries) ready = bench.run(kPatient);
  REQUIRE(ready.has_value());
  const auto hung = bench.run(kHang);
  REQUIRE(hung.has_error());
  CHECK(hung.error().trouble == Trouble::in_doubt);
  auto next = bench.run(kOne);
  // A slow machine may not connect within the deadline; it must work in the end.
  for (int tries = 0; next.has_error() && tries < 20; ++tries) next = bench.run(kOne);
  CHECK(next.has_value());
}

TEST_CASE("G12 a server that restarts between two calls costs a reconnect and no doubt",
          "[database]") {
  Cluster server;
  DatabaseBench bench(superuser_options(server.uri()));
  for (const std::string_view mode : {"fast", "immediate", "kill"}) {
    INFO(mode);
    REQUIRE(bench.cell(kOne) == "1");
    if (mode == "kill") {
      server.kill();
      server.start();
    } else {
      server.restart(mode);
    }
    CHECK(bench.cell(kOne) == "1");
  }
}

TEST_CASE("G12 a server that stops during a call leaves a doubt, and the next call works",
          "[database]") {
  Cluster server;
  DatabaseBench bench(superuser_options(server.uri()));
  for (const std::string_view mode : {"fast", "immediate", "kill"}) {
    INFO(mode);
    REQUIRE(bench.run(kPatient).has_value());
    const auto call = bench.begin(kHang);
    wait_for_hang(bench, server);
    if (mode == "kill")
      server.kill();
    else
      server.stop(mode);
    const auto hung = bench.end(call);
    REQUIRE(hung.has_error());
    CHECK(hung.error().trouble == Trouble::in_doubt);

    const auto down = bench.run(kOne);
    REQUIRE(down.has_error());
    CHECK(down.error().trouble == Trouble::not_connected);
    // The port in libpq's words has five digits and is no SQLSTATE.
    CHECK(down.error().sqlstate.empty());
    CHECK(sql::exit_code(down.error()) == ExitCode::unavailable);
    server.start();
    CHECK(bench.cell(kOne) == "1");
  }
}

TEST_CASE("G12 a request that was lost and an answer that was lost are both in doubt",
          "[database]") {
  const auto database = scratch_database();
  Proxy proxy(Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port()));
  DatabaseBench bench(superuser_options(
      "postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database.name()));
  database.execute("CREATE TABLE public.kept (number int)");
  constexpr sql::Statement keep{"keep", "INSERT INTO public.kept VALUES (1)"};
  const auto fault = GENERATE(Fault::lose_request, Fault::lose_answer);
  REQUIRE(bench.run(kOne).has_value());
  proxy.set({.fault = fault, .statement = "keep"});
  const auto lost = bench.run(keep);
  REQUIRE(lost.has_error());
  CHECK(lost.error().trouble == Trouble::in_doubt);
  CHECK(database.query_value("SELECT count(*) FROM public.kept") ==
        (fault == Fault::lose_answer ? "1" : "0"));
  CHECK(bench.run(keep).has_value());
}

TEST_CASE("a connection that is refused is no doubt", "[database]") {
  Proxy proxy(Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port()));
  DatabaseBench bench(
      superuser_options("postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port())));
  proxy.set({.fault = Fault::refuse});
  const auto refused = bench.run(kOne);
  REQUIRE(refused.has_error());
  CHECK(refused.error().trouble == Trouble::not_connected);
  proxy.pass();
  CHECK(bench.cell(kOne) == "1");
}

TEST_CASE("a door that closes while a call runs ends the call's session and touches nothing after",
          "[database]") {
  {
    DatabaseBench bench(superuser_options(shared_cluster().uri()));
    REQUIRE(bench.run(kPatient).has_value());
    const auto call = bench.begin(kHang);
    wait_for_hang(bench, shared_cluster());
    bench.database.reset();
    CHECK_FALSE(call->ended());
  }
  DatabaseBench bench(superuser_options(shared_cluster().uri()));
  CHECK(bench.cell(kOne) == "1");
}

}  // namespace
}  // namespace reconciled::test
