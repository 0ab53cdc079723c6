// SPDX-License-Identifier: Apache-2.0
// The sweep over a service's own consumption table, behind a view and in partitions, as adopt.sql
// leaves it.
#include "tests/support/adopted.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

const std::string kPartitioned =
    "DROP TABLE billing.spent; CREATE TABLE billing.spent (iss text, grant_no text, credit_no "
    "uuid, spent_at timestamptz, keep_until timestamptz, PRIMARY KEY (iss, grant_no)) PARTITION BY "
    "HASH (iss, grant_no); CREATE TABLE billing.spent_0 PARTITION OF billing.spent FOR VALUES WITH "
    "(MODULUS 2, REMAINDER 0);"
    // Attached, with its columns in another order.
    "CREATE TABLE billing.spent_1 (keep_until timestamptz, spent_at timestamptz, grant_no text NOT "
    "NULL, iss text NOT NULL, credit_no uuid); ALTER TABLE billing.spent ATTACH PARTITION "
    "billing.spent_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);";

TEST_CASE("G9 a sweep through a view deletes the service's own rows", "[adopted]") {
  const std::string partitions = GENERATE(std::string(), kPartitioned);
  const auto database = adopted_database(partitions);
  database.execute(insert_consumptions(25, "1 hour"));
  database.execute(insert_consumptions(3, "1 minute", "young"));
  SweepBench bench(database);
  bench.terms.batch = 10;
  SECTION("all is well") {
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.events.texts.empty());
    CHECK(database.query_value("SELECT count(*) FROM billing.spent") == "3");
    CHECK(database.failure_of(insert_consumptions(1, "1 hour", "again")) == "RC001");
  }
  SECTION("the trigger of the table behind the view is disabled") {
    database.execute("ALTER TABLE billing.spent DISABLE TRIGGER grant_consumptions_above_mark");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0),
               contains_text("billing.spent: trigger grant_consumptions_above_mark is disabled"));
  }
  if (partitions.empty()) return;
  SECTION("that of one partition is") {
    database.execute("ALTER TABLE billing.spent_1 DISABLE TRIGGER grant_consumptions_above_mark");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0),
               contains_text("billing.spent_1: trigger grant_consumptions_above_mark is disabled"));
  }
}

/// The trigger of the service's table, called with these arguments instead.
void call_with(const Database& database, const std::string& arguments) {
  database.execute(
      "CREATE OR REPLACE TRIGGER grant_consumptions_above_mark AFTER INSERT ON billing.spent FOR "
      "EACH ROW EXECUTE FUNCTION reconciled.refuse_claim_below_mark(" +
      arguments +
      "); ALTER TABLE billing.spent ENABLE ALWAYS TRIGGER grant_consumptions_above_mark");
}

TEST_CASE("G9 a trigger on other columns than the view shows refuses, and the words put it right",
          "[adopted]") {
  const auto database = adopted_database();
  database.execute(insert_consumptions(2, "1 hour"));
  const std::string arguments =
      GENERATE("'spent_at', 'credit_no'", "'keep_until', 'iss'", "'spent_at'", "",
               "'keep_until', 'credit_no', 'iss'", "'retain_until', 'operation_id'");
  CAPTURE(arguments);
  call_with(database, arguments);
  SweepBench bench(database);
  CHECK(bench.sweep() == SweepEnd::refused);
  REQUIRE(bench.events.texts.size() == 1);
  const auto& told = bench.events.texts[0];
  CHECK_THAT(told, contains_text("billing.spent: trigger grant_consumptions_above_mark is not on "
                                 "the columns that reconciled.grant_consumptions shows"));
  CHECK(database.query_value("SELECT count(*) FROM billing.spent") == "2");
  CHECK(database.query_value("SELECT cut_off FROM cleanup_mark") == "-infinity");

  const auto from = told.find("CREATE OR REPLACE");
  REQUIRE(from != std::string::npos);
  database.execute(told.substr(from, told.rfind(')') - from));
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.consumptions == 2);
}

TEST_CASE("a trigger that counts every row as a claim is enough", "[adopted]") {
  const auto database = adopted_database();
  call_with(database, "'keep_until'");
  SweepBench bench(database);
  CHECK(bench.sweep() == SweepEnd::finished);
}

TEST_CASE("the columns are found through a view over a view, and never where there is none",
          "[adopted]") {
  const auto database = adopted_database();
  SweepBench bench(database);
  SECTION("a view over a view that names them otherwise") {
    database.execute(
        "CREATE VIEW billing.used WITH (security_invoker) AS SELECT iss, grant_no, keep_until AS "
        "\"until, when\", spent_at, credit_no AS by_credit FROM billing.spent;"
        "CREATE OR REPLACE VIEW grant_consumptions WITH (security_invoker) AS SELECT iss AS "
        "issuer, grant_no AS grant_id, by_credit AS operation_id, spent_at AS consumed_at, "
        "\"until, when\" AS retain_until FROM billing.used;"
        "GRANT SELECT, DELETE, UPDATE ON billing.used TO reconciled_retention");
    CHECK(bench.sweep() == SweepEnd::finished);
    // The stored rule goes on calling it by the old name.
    database.execute("ALTER VIEW billing.used RENAME COLUMN \"until, when\" TO until");
    CHECK(bench.sweep() == SweepEnd::finished);
  }
  SECTION("an expression") {
    const std::string source =
        GENERATE("billing.spent",
                 // The subquery's fifth column is a plain one, the view's is not.
                 "(SELECT iss, grant_no, credit_no, spent_at, keep_until FROM billing.spent) AS s");
    database.execute(
        "CREATE OR REPLACE VIEW grant_consumptions WITH (security_invoker) AS SELECT iss AS "
        "issuer, grant_no AS grant_id, credit_no AS operation_id, spent_at AS consumed_at, "
        "keep_until - interval '1 day' AS retain_until FROM " +
        source);
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("show plain columns of the table"));
  }
  SECTION("a subquery whose fifth column is another one of the same table") {
    database.execute(insert_consumptions(2, "1 hour"));
    database.execute(
        "CREATE OR REPLACE VIEW grant_consumptions WITH (security_invoker) AS SELECT iss AS "
        "issuer, grant_no AS grant_id, credit_no AS operation_id, spent_at AS consumed_at, "
        "keep_until AS retain_until FROM (SELECT iss, grant_no, credit_no, keep_until, spent_at "
        "FROM billing.spent) AS s");
    // On the subquery's fifth column, to believe which would let every deleted grant through.
    call_with(database, "'spent_at', 'credit_no'");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("show plain columns of the table"));
    CHECK(database.query_value("SELECT count(*) FROM billing.spent") == "2");
  }
}

}  // namespace
}  // namespace reconciled::test
