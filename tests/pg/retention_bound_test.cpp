// SPDX-License-Identifier: Apache-2.0
// retention.require_bound on a real server: who may admit, and what ends their transactions. The
// resolution of the setting is compared with what the server gives a session of that role.
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

using Words = std::vector<std::string>;

BoundFacts facts_of(SweepBench& bench) {
  const auto call = spawn(bench.loop, bench.store.bound());
  until(bench.loop, [&] { return call->ended(); });
  return call->value->value();
}

/// Roles are the cluster's: each test case drops its own.
struct Roles {
  explicit Roles(const Database& on, const std::string& sql) : database(on) {
    database.execute(sql);
  }
  ~Roles() {
    for (const auto* name : {"app", "app_noinherit", "app_direct", "app_column", "app_nested",
                             "app_owner", "app_writer", "app_root", "app_reads", "team"}) {
      database.execute(std::string("DO $$ BEGIN IF to_regrole('") + name +
                       "') IS NOT NULL THEN EXECUTE 'DROP OWNED BY " + name +
                       "'; EXECUTE 'DROP ROLE " + name + "'; END IF; END $$");
    }
    database.execute("ALTER ROLE ALL RESET ALL");
  }
  const Database& database;
};

bool has_setting(const Database& database) {
  return database.query_value("SELECT current_setting('server_version_num')::int >= 170000") == "t";
}

/// Before 17 there is no bound, whatever the roles say; true if this was checked.
bool checked_as_unbounded(const Database& database) {
  if (has_setting(database)) return false;
  SweepBench bench(database);
  const auto facts = facts_of(bench);
  CHECK_FALSE(facts.server.has_value());
  CHECK(key_of(judge_bound(facts, {10min, 0s, 5s}).at(0)) == "no-transaction-timeout");
  return true;
}

TEST_CASE("who may admit is found: inheriting or not, through a function or directly", "[bound]") {
  const auto database = scratch_database();
  const Roles roles(
      database,
      "CREATE ROLE team NOLOGIN IN ROLE reconciled_admission;"
      "CREATE ROLE app LOGIN IN ROLE reconciled_admission;"
      "CREATE ROLE app_noinherit LOGIN NOINHERIT IN ROLE reconciled_admission;"
      "CREATE ROLE app_nested LOGIN NOINHERIT IN ROLE team;"
      "CREATE ROLE app_direct LOGIN; GRANT INSERT ON grant_consumptions TO app_direct;"
      "CREATE ROLE app_column LOGIN; GRANT INSERT (issuer) ON grant_consumptions TO app_column;"
      "CREATE ROLE app_owner LOGIN IN ROLE reconciled_owner;"
      "CREATE ROLE app_writer LOGIN IN ROLE pg_write_all_data;"
      "CREATE ROLE app_root LOGIN NOINHERIT IN ROLE postgres;"
      "CREATE ROLE app_reads LOGIN IN ROLE reconciled_reader, reconciled_retention;"
      "GRANT SELECT, UPDATE, DELETE ON grant_consumptions TO app_reads");
  SweepBench bench(database);
  const auto facts = facts_of(bench);
  Words names;
  for (const auto& role : facts.roles) names.push_back(role.name);
  CHECK(names == Words{"app", "app_column", "app_direct", "app_nested", "app_noinherit",
                       "app_owner", "app_root", "app_writer"});
  CHECK(facts.superusers == Words{"postgres"});
  CHECK(facts.synchronous_standby_names.empty());

  const auto refusals = judge_bound(facts, {10min, 0s, 5s});
  if (!has_setting(database)) {
    REQUIRE(refusals.size() == 1);
    CHECK(key_of(refusals[0]) == "no-transaction-timeout");
  } else {
    CHECK(refusals.size() == names.size());
    CHECK(key_of(refusals[0]) == "role-unbounded app");
  }
}

TEST_CASE("who inserts into the service's own table, or into a partition of it, counts",
          "[bound]") {
  const auto database = scratch_database();
  database.execute(
      "DROP TABLE grant_consumptions;"
      "CREATE TABLE spent (issuer text, grant_id text, operation_id uuid, consumed_at timestamptz, "
      "retain_until timestamptz) PARTITION BY LIST (issuer);"
      "CREATE TABLE spent_rest PARTITION OF spent DEFAULT;"
      "CREATE VIEW grant_consumptions WITH (security_invoker) AS SELECT * FROM spent");
  const Roles roles(database,
                    std::string("CREATE ROLE app LOGIN; CREATE ROLE app_direct LOGIN; "
                                "GRANT INSERT ON spent TO app; GRANT INSERT ON spent_rest TO ") +
                        "app_direct");
  SweepBench bench(database);
  const auto facts = facts_of(bench);
  REQUIRE(facts.roles.size() == 2);
  CHECK(facts.roles[0].name == "app");
  CHECK(facts.roles[1].name == "app_direct");
}

TEST_CASE("the bound is what the server gives a session of that role", "[bound]") {
  const auto database = scratch_database();
  if (checked_as_unbounded(database)) return;
  const Roles roles(database, "CREATE ROLE app LOGIN IN ROLE reconciled_admission");
  const auto in_database = GENERATE("", "1s", "0");
  const auto of_role = GENERATE("", "2s", "0");
  const auto of_database = GENERATE("", "3000");
  const auto of_all = GENERATE("", "4min");
  const auto set = [&](const std::string& whose, const std::string& value) {
    if (!value.empty())
      database.execute("ALTER " + whose + " SET transaction_timeout = '" + value + "'");
  };
  set("ROLE app IN DATABASE " + database.name(), in_database);
  set("ROLE app", of_role);
  set("DATABASE " + database.name(), of_database);
  set("ROLE ALL", of_all);
  SweepBench bench(database);
  const auto facts = facts_of(bench);
  REQUIRE(facts.roles.size() == 1);
  const auto shown = database.query_value(
      "SELECT setting || 'ms' FROM pg_settings WHERE name = 'transaction_timeout'", "app");
  const auto bound = transaction_timeout_of(facts.roles[0], facts.server);
  CAPTURE(in_database, of_role, of_database, of_all);
  CHECK(bound.value_or(0s) == parse_server_time(shown));
  CHECK(judge_bound(facts, {10min, 0s, 5s}).empty() == bound.has_value());
}

TEST_CASE("the server's own value counts where nothing else is written", "[bound]") {
  const auto database = scratch_database();
  if (checked_as_unbounded(database)) return;
  const Roles roles(database, "CREATE ROLE app LOGIN IN ROLE reconciled_admission");
  database.execute("ALTER SYSTEM SET transaction_timeout = '7s'");
  database.execute("SELECT pg_reload_conf()");
  while (database.query_value("SHOW transaction_timeout") != "7s") {
  }
  SweepBench bench(database);
  const auto facts = facts_of(bench);
  CHECK(transaction_timeout_of(facts.roles.at(0), facts.server) == 7s);
  database.execute("ALTER SYSTEM RESET transaction_timeout");
  database.execute("SELECT pg_reload_conf()");
  while (database.query_value("SHOW transaction_timeout") != "0") {
  }
}

TEST_CASE("with require_bound a sweep waits for the bound; a group's setting is none", "[bound]") {
  const auto database = scratch_database();
  const Roles roles(
      database,
      "CREATE ROLE team NOLOGIN IN ROLE reconciled_admission; CREATE ROLE app LOGIN IN ROLE "
      "team");
  database.execute(insert_consumptions(2, "1 hour"));
  SweepBench bench(database);
  bench.terms.require_bound = true;
  CHECK(bench.sweep() == SweepEnd::refused);
  if (!has_setting(database)) {
    CHECK_THAT(bench.events.texts.at(0), contains_text("has no transaction_timeout"));
    return;
  }
  CHECK(bench.events.keys == Words{"role-unbounded app"});
  database.execute("ALTER ROLE team SET transaction_timeout = '30s'");
  CHECK(bench.sweep() == SweepEnd::refused);
  database.execute("ALTER ROLE app SET transaction_timeout = '10min'");
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.keys.back() == "role-bound-too-long app");
  database.execute("ALTER ROLE app SET transaction_timeout = '30s'");
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.consumptions == 2);
}

TEST_CASE("a session from before the setting keeps its old bound; the mark fences it", "[bound]") {
  const auto database = scratch_database();
  if (checked_as_unbounded(database)) return;
  const Roles roles(database,
                    "CREATE ROLE app LOGIN IN ROLE reconciled_admission; GRANT USAGE ON SCHEMA "
                    "reconciled TO app; GRANT INSERT ON grant_consumptions TO app");
  database.execute(insert_consumptions(1, "1 hour"));
  Session unbounded(database, "app", "");
  SweepBench bench(database);
  bench.terms.require_bound = true;
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK_THAT(bench.events.texts.at(0),
             contains_text("end its sessions: they keep the old one, and no check sees it"));
  database.execute("ALTER ROLE app SET transaction_timeout = '1h'");
  Session too_long(database, "app", "");
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK_THAT(bench.events.texts.at(1),
             contains_text("end its sessions, which keep the old one unseen"));
  database.execute("ALTER ROLE app SET transaction_timeout = '30s'");
  // The old sessions refuse nothing: PostgreSQL keeps no time of a setting to hold theirs against.
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.consumptions == 1);
  CHECK(describe(facts_of(bench)).at(0) ==
        "role app may admit; transaction_timeout 30s in a new session");
  for (auto* old : {&unbounded, &too_long}) {
    CHECK(old->execute("SHOW transaction_timeout")[0][0].as<std::string>() ==
          (old == &unbounded ? "0" : "1h"));
    CHECK_THROWS_WITH(old->execute(insert_consumptions(1, "1 hour")), contains_text("cleaned up"));
  }
  CHECK(database.query_value("SELECT count(*) FROM grant_consumptions") == "0");
}

TEST_CASE("a configured synchronous standby asks for its wait to be bounded", "[bound]") {
  // No standby is there: the cleanup itself would wait, so that only the facts are asked for.
  Cluster cluster({"-c", "synchronous_standby_names=nobody", "-c", "synchronous_commit=local"});
  const auto database = cluster.scratch_database();
  SweepBench bench(database);
  auto facts = facts_of(bench);
  CHECK(facts.synchronous_standby_names == "nobody");
  facts.server_version = 170000;
  const auto refusals = judge_bound(facts, {10min, 0s, 5s});
  REQUIRE(refusals.size() == 1);
  CHECK_THAT(explain(refusals[0]), contains_text("synchronous_standby_names is 'nobody'"));
  CHECK(judge_bound(facts, {10min, 1s, 5s}).empty());
}

}  // namespace
}  // namespace reconciled::test
