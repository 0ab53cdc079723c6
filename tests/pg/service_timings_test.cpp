// SPDX-License-Identifier: Apache-2.0
// The guard of contract_timings: what may not change while consumption rows still stand for it, and
// what a raised leeway does to the cleanup mark.
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kRefused = "RC006";

std::string set(const std::string& changes) { return "UPDATE contract_timings SET " + changes; }

/// A consumption row that had to be kept until `retain_until`.
std::string keep_row(const std::string& retain_until, const std::string& operation = "NULL") {
  return "INSERT INTO grant_consumptions VALUES ('i', gen_random_uuid()::text, " + operation +
         ", now(), " + retain_until + ")";
}

std::string mark_of(const Database& database) {
  return database.query_value("SELECT cut_off AT TIME ZONE 'UTC' FROM cleanup_mark");
}

TEST_CASE("G9 timings that kept rows stand for are refused until the rows are past", "[service]") {
  const auto database = scratch_database();
  // The margin is ten minutes.
  const bool matters = GENERATE(true, false);
  const auto* operation = GENERATE("NULL", "gen_random_uuid()");
  CAPTURE(matters, operation);
  database.execute(keep_row("now() - interval '1 day'", operation));
  database.execute(
      keep_row(matters ? "now() - interval '9 minutes'" : "now() - interval '10 minutes 1 second'",
               operation));
  const auto* change =
      GENERATE("admission_leeway = '31 seconds'", "admission_leeway = '29 seconds'",
               "maximum_grant_lifetime = '14 minutes'", "issue_time_skew = '59 seconds'",
               "admission_leeway = '20 seconds', cleanup_margin = '8 minutes'");
  CAPTURE(change);
  const auto* before = GENERATE("", "SET session_replication_role = replica;");
  CHECK(database.failure_of(before + set(change)) == (matters ? kRefused : ""));
}

TEST_CASE("G9 the longer of two margins counts", "[service]") {
  const auto database = scratch_database();
  database.execute(keep_row("now() - interval '15 minutes'"));
  CHECK(database.failure_of(set("admission_leeway = '1 s', cleanup_margin = '20 minutes'")) ==
        kRefused);
  CHECK(database.failure_of(set("admission_leeway = '1 s'")).empty());
}

TEST_CASE("timings that no kept row stands for change at any time", "[service]") {
  const auto database = scratch_database();
  database.execute(keep_row("now()"));
  const auto* change = GENERATE("admission_leeway = '30 seconds'", "issue_time_skew = '2 minutes'",
                                "maximum_grant_lifetime = '20 minutes'",
                                "cleanup_margin = '1 minute', execution_lease = '2 minutes'");
  CHECK(database.failure_of(set(change)).empty());
  CHECK(mark_of(database) == "-infinity");
}

TEST_CASE("G9 a raised leeway adds its difference to the mark", "[service]") {
  const auto database = scratch_database();
  const auto* change =
      GENERATE("admission_leeway = '70 seconds'", "admission_leeway = '30 seconds'",
               "admission_leeway = '10 seconds'");
  database.execute("UPDATE cleanup_mark SET cut_off = '2030-01-01 00:00+00'");
  SECTION("to where rows are gone") {}
  SECTION("also next to older rows that are there") {
    database.execute(keep_row("'2026-01-01 00:00+00'"));
  }
  database.execute(set(change));
  CHECK(mark_of(database) == (change == std::string("admission_leeway = '70 seconds'")
                                  ? "2030-01-01 00:00:40"
                                  : "2030-01-01 00:00:00"));
}

TEST_CASE("G9 a token whose row was deleted is not admitted again under a raised leeway",
          "[service]") {
  const auto database = scratch_database();
  // Its row was to be kept until two hours ago; the new leeway lets the token live once more.
  const std::string expires = "timestamptz '" +
                              database.query_value("SELECT now() - interval '2 hours'") +
                              "' - interval '30 seconds'";
  const Columns token{{"expires_at", expires}};
  const bool swept_before = GENERATE(true, false);
  CAPTURE(swept_before);
  const auto sweep = [&] {
    database.execute(
        "UPDATE cleanup_mark SET cut_off = greatest(cut_off, now() - interval '1 hour');"
        "DELETE FROM grant_consumptions WHERE retain_until < now() - interval '1 hour'");
  };
  database.execute(
      "INSERT INTO grant_consumptions SELECT 'issuer-1', 'grant-1', gen_random_uuid(),"
      " now(), " +
      expires + " + interval '30 seconds'");
  if (swept_before) sweep();
  database.execute(set("admission_leeway = '10 hours'"));
  if (!swept_before) {
    CHECK(answer_of(database, admit_token(1, token)) == "Refused - - consumed");
    sweep();
  }
  CHECK(failure_as(database, admit_token(1, token)) == "RC001");
  CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
}

TEST_CASE("G9 a change of the leeway waits for claims under way and sees them", "[service]") {
  const auto database = scratch_database();
  const auto other = database.connect();
  pqxx::work admission(*other);
  admission.exec(admit_token(1));
  auto change = std::async(std::launch::async, [&] {
    return database.failure_of(set("admission_leeway = '1 minute'"));
  });
  wait_for_lock_or(database, change);
  admission.commit();
  CHECK(change.get() == kRefused);
}

TEST_CASE("G9 a claim that waited for a change of the leeway goes by the new one", "[service]") {
  const auto database = scratch_database();
  const auto other = database.connect();
  pqxx::work change(*other);
  change.exec(set("admission_leeway = '10 minutes'"));
  auto claim = std::async(std::launch::async, [&] {
    return answer_of(database, admit_token(1, {{"expires_at", "now() - interval '5 minutes'"}}));
  });
  wait_for_lock_or(database, claim);
  change.commit();
  CHECK(claim.get() == "Admitted - - -");
  CHECK(database.query_value("SELECT retain_until > now() FROM grant_consumptions") == "t");
}

TEST_CASE("a change that could not see every row is refused", "[service]") {
  const auto database = scratch_database();
  const auto* level = GENERATE("SERIALIZABLE", "REPEATABLE READ");
  const auto at_level = [&](const std::string& sql) {
    return database.failure_of("BEGIN ISOLATION LEVEL " + std::string(level) + ";" + sql +
                               "; COMMIT");
  };
  CHECK(at_level(set("admission_leeway = '1 minute'")) == kRefused);
  CHECK(at_level(set("lease_margin = '4 seconds'")).empty());
}

TEST_CASE("the row of contract_timings stays", "[service]") {
  const auto database = scratch_database();
  const auto* before = GENERATE("", "SET session_replication_role = replica;");
  CHECK(database.failure_of(std::string(before) + "DELETE FROM contract_timings") == kRefused);
  CHECK(database.failure_of(std::string(before) + "TRUNCATE contract_timings") == kRefused);
}

}  // namespace
}  // namespace reconciled::test
