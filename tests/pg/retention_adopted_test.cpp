// SPDX-License-Identifier: Apache-2.0
// The sweep over a service's own consumption table, behind a view and in partitions.
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

/// What adopt.sql leaves behind for a table `spent`.
Database adopted(const std::string& partitions) {
  auto database = scratch_database();
  database.execute(
      "DROP TABLE grant_consumptions;"
      "CREATE TABLE spent (iss text, grant_no text, credit uuid, spent_at timestamptz, keep_until "
      "timestamptz, PRIMARY KEY (iss, grant_no)) " +
      partitions +
      "CREATE INDEX ON spent (keep_until);"
      "CREATE TRIGGER above_mark AFTER INSERT ON spent FOR EACH ROW EXECUTE FUNCTION "
      "refuse_claim_below_mark('keep_until', 'credit');"
      "ALTER TABLE spent ENABLE ALWAYS TRIGGER above_mark;"
      "CREATE VIEW grant_consumptions WITH (security_invoker) AS SELECT iss AS issuer, grant_no AS "
      "grant_id, credit AS operation_id, spent_at AS consumed_at, keep_until AS retain_until FROM "
      "spent;"
      "GRANT SELECT, DELETE, UPDATE (keep_until) ON spent TO reconciled_retention;"
      "GRANT SELECT, DELETE, UPDATE (retain_until) ON grant_consumptions TO reconciled_retention");
  return database;
}

TEST_CASE("G9 a sweep through a view deletes the service's own rows", "[adopted]") {
  const std::string partitions = GENERATE(
      ";",
      "PARTITION BY HASH (iss, grant_no); CREATE TABLE spent_0 PARTITION OF spent FOR VALUES "
      "WITH (MODULUS 2, REMAINDER 0); CREATE TABLE spent_1 PARTITION OF spent FOR VALUES WITH "
      "(MODULUS 2, REMAINDER 1);");
  const auto database = adopted(partitions);
  database.execute(insert_consumptions(25, "1 hour"));
  database.execute(insert_consumptions(3, "1 minute", "young"));
  SweepBench bench(database);
  bench.terms.batch = 10;
  SECTION("all is well") {
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.events.texts == std::vector<std::string>{});
    CHECK(database.query_value("SELECT count(*) FROM spent") == "3");
    CHECK(database.failure_of(insert_consumptions(1, "1 hour", "again")) == "RC001");
  }
  SECTION("the trigger of the table behind the view is disabled") {
    database.execute("ALTER TABLE spent DISABLE TRIGGER above_mark");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0),
               contains_text("reconciled.spent: trigger above_mark is disabled"));
  }
  if (partitions == ";") return;
  SECTION("that of one partition is") {
    database.execute("ALTER TABLE spent_1 DISABLE TRIGGER above_mark");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0),
               contains_text("reconciled.spent_1: trigger above_mark is disabled"));
  }
}

}  // namespace
}  // namespace reconciled::test
