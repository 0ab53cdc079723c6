// SPDX-License-Identifier: Apache-2.0
// The statements of the check at start: what the daemon learns about a contract and a session.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

/// operations_found, views_act_as_caller, row_security_on, policies_present, recovery_bound.
std::string safety_of(const Database& database) {
  Session reader(database, kReader, "");
  const auto rows = reader.run(statements::contract_safety);
  REQUIRE(rows.size() == 1);
  std::string flags;
  for (const auto& field : rows[0]) flags += field.c_str();
  return flags;
}

/// The service's own table behind a view of the contract's name.
void put_behind_view(const Database& database, const std::string& options) {
  database.execute(
      "ALTER TABLE operations RENAME TO service_rows;"
      "CREATE VIEW operations " +
      options + " AS SELECT * FROM service_rows");
}

TEST_CASE("a fresh contract is safe", "[contract]") {
  CHECK(safety_of(scratch_database()) == "ttttt");
}

TEST_CASE("a contract without its table is told", "[contract]") {
  const auto database = scratch_database();
  database.execute("DROP TABLE operations");
  CHECK(safety_of(database)[0] == 'f');
}

TEST_CASE("a view is safe only if it acts as its caller", "[contract]") {
  const auto database = scratch_database();
  SECTION("as its owner") {
    put_behind_view(database, "");
    CHECK(safety_of(database) == "tfttt");
  }
  SECTION("as its caller, in each spelling") {
    const auto* spelling = GENERATE("security_invoker", "security_invoker = on",
                                    "security_invoker = 1", "security_invoker = true");
    put_behind_view(database, "WITH (" + std::string(spelling) + ")");
    CHECK(safety_of(database) == "ttttt");
  }
  SECTION("switched off") {
    put_behind_view(database, "WITH (security_invoker = false)");
    CHECK(safety_of(database) == "tfttt");
  }
  SECTION("a careful view over a careless one") {
    put_behind_view(database, "");
    database.execute(
        "ALTER VIEW operations RENAME TO careless;"
        "CREATE VIEW operations WITH (security_invoker) AS SELECT * FROM careless");
    CHECK(safety_of(database) == "tfttt");
  }
}

TEST_CASE("what unbinds recovery is told, also behind a view", "[contract]") {
  const auto database = scratch_database();
  const bool behind_view = GENERATE(false, true);
  const std::string table = behind_view ? "service_rows" : "operations";
  if (behind_view) put_behind_view(database, "WITH (security_invoker)");
  SECTION("row security off") {
    database.execute("ALTER TABLE " + table + " DISABLE ROW LEVEL SECURITY");
    CHECK(safety_of(database) == "ttftt");
  }
  SECTION("the restrictive policy gone") {
    database.execute("DROP POLICY recovery_leaves_only_unresolved ON " + table);
    CHECK(safety_of(database) == "tttft");
  }
  SECTION("the restrictive policy for somebody else") {
    database.execute("ALTER POLICY recovery_leaves_only_unresolved ON " + table +
                     " TO reconciled_reader");
    CHECK(safety_of(database) == "tttft");
  }
  SECTION("recovery owns the table") {
    database.execute("ALTER TABLE " + table + " OWNER TO reconciled_recovery");
    CHECK(safety_of(database) == "ttttf");
  }
}

TEST_CASE("a recovery role that policies do not bind is told", "[contract]") {
  Cluster cluster;  // of its own: roles are the cluster's
  const auto database = cluster.scratch_database();
  const auto* attribute = GENERATE("SUPERUSER", "BYPASSRLS");
  database.execute("ALTER ROLE reconciled_recovery " + std::string(attribute));
  CHECK(safety_of(database) == "ttttf");
}

TEST_CASE("the contract's version is one", "[contract]") {
  const auto database = scratch_database();
  Session recovery(database);
  CHECK(std::string(recovery.run(statements::contract_version)[0][0].c_str()) == "1");
}

TEST_CASE("the contract's timings are exact microseconds in the file's order", "[contract]") {
  const auto database = scratch_database();
  Session recovery(database);
  recovery.execute("SET IntervalStyle = 'sql_standard'");
  const auto row = recovery.run(statements::contract_timings)[0];
  std::string seen;
  for (const auto& field : row) {
    seen += std::string(field.name()) + "=" + field.c_str() + "\n";
  }
  CHECK(seen ==
        "admission_leeway=30000000\n"
        "billing_call_timeout=10000000\n"
        "store_call_timeout=5000000\n"
        "execution_lease=60000000\n"
        "recovery_lease=60000000\n"
        "lease_margin=5000000\n"
        "submission_window=72000000000\n"
        "provider_clock_margin=300000000\n"
        "admission_transaction_bound=30000000\n"
        "replication_wait_bound=0\n"
        "largest_clock_step=5000000\n"
        "cleanup_margin=600000000\n"
        "maximum_grant_lifetime=900000000\n"
        "issue_time_skew=60000000\n"
        "idempotency_stale_after=120000000\n"
        "idempotency_record_life=86400000000\n");
  database.execute("UPDATE contract_timings SET lease_margin = '0.000001 seconds'");
  CHECK(recovery.run(statements::contract_timings)[0]["lease_margin"].as<int>() == 1);
}

TEST_CASE("a session knows whom it talks to and as whom", "[contract]") {
  const auto database = scratch_database();
  Session recovery(database);
  const auto row = recovery.run(statements::session_facts, {"reconciled"})[0];
  CHECK(row["backend_pid"].as<int>() ==
        recovery.execute("SELECT pg_backend_pid()")[0][0].as<int>());
  CHECK(row["server_version_num"].as<int>() >= 150000);
  CHECK_FALSE(row["in_recovery"].as<bool>());
  CHECK_FALSE(row["read_only"].as<bool>());
  CHECK(row["acts_as"].as<std::string>() == "reconciled_recovery");
  CHECK(row["now_us"].as<long long>() > 1'700'000'000'000'000);
  CHECK(row["schema_visible"].as<bool>());
  CHECK(recovery.run(statements::session_facts, {"nowhere"})[0]["schema_visible"].is_null());
  database.execute("CREATE SCHEMA closed");
  CHECK_FALSE(recovery.run(statements::session_facts, {"closed"})[0]["schema_visible"].as<bool>());
  recovery.execute("SET default_transaction_read_only = on");
  CHECK(recovery.run(statements::session_facts, {"reconciled"})[0]["read_only"].as<bool>());
}

}  // namespace
}  // namespace reconciled::test
