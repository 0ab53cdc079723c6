// SPDX-License-Identifier: Apache-2.0
// What the database itself refuses to a person's verbs, however wrong the statements were.
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kRefused = "42501";

std::string operator_fails_with(const Database& database, const std::string& sql) {
  return database.failure_of("SET ROLE reconciled_operator; " + sql);
}

std::string set_status(const std::string& to) {
  return "UPDATE operations SET status = '" + to + "'";
}

TEST_CASE("the operator moves what is open to Unknown, Succeeded or Failed only", "[contract]") {
  const auto database = scratch_database();
  const auto from = GENERATE(values<std::string>({"NeedsReconciliation", "Unknown"}));
  const auto to = GENERATE(
      values<std::string>({"Unknown", "Succeeded", "Failed", "Admitted", "NeedsReconciliation"}));
  const bool allowed = to != "Admitted" && to != "NeedsReconciliation";
  database.execute(insert_operation(1, {{"status", "'" + from + "'"}}));
  CHECK(operator_fails_with(database, set_status(to)) == (allowed ? "" : kRefused));
  CHECK(database.query_value("SELECT status FROM operations") == (allowed ? to : from));
}

TEST_CASE("the operator cannot touch what is final, Admitted or in flight", "[contract]") {
  const auto database = scratch_database();
  const auto columns =
      GENERATE(Columns{{"status", "'Succeeded'"}}, Columns{{"status", "'Failed'"}},
               Columns{{"status", "'Admitted'"}},
               Columns{{"status", "'Unknown'"},
                       {"owner_token", "gen_random_uuid()"},
                       {"lease_until", "clock_timestamp() + interval '1 minute'"}});
  database.execute(insert_operation(1, columns));
  const auto before = database.query_value("SELECT operations::text FROM operations");
  CHECK(operator_fails_with(database, set_status("Failed")).empty());
  CHECK(database.query_value("SELECT operations::text FROM operations") == before);
}

TEST_CASE("the operator cannot write what is the service's or a takeover's", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"status", "'Unknown'"}}));
  const auto column = GENERATE(values<std::string>(
      {"operation_id", "issuer", "grant_id", "caller_id", "account_id", "amount", "currency",
       "owner_version", "submit_by", "created_at", "provider_context"}));
  CAPTURE(column);
  CHECK(operator_fails_with(database, "UPDATE operations SET " + column + " = " + column) ==
        kRefused);
  CHECK(operator_fails_with(database, insert_operation(2)) == kRefused);
  CHECK(operator_fails_with(database, "DELETE FROM operations") == kRefused);
}

TEST_CASE("the operator signs evidence of a person's steps only", "[contract]") {
  const auto database = scratch_database();
  for (const auto* step : {"recheck", "resolution"})
    CHECK(
        operator_fails_with(database, insert_evidence(1, {{"step", "'" + std::string(step) + "'"}}))
            .empty());
  for (const auto* step : {"lookup", "eligibility", "create", "handback", "late", "executor"})
    CHECK(operator_fails_with(
              database, insert_evidence(1, {{"step", "'" + std::string(step) + "'"}})) == kRefused);
  CHECK(operator_fails_with(database, insert_evidence(1, {{"step", "'recheck'"},
                                                          {"observed_at", "now()"}})) == kRefused);
}

}  // namespace
}  // namespace reconciled::test
