// SPDX-License-Identifier: Apache-2.0
// What the database itself refuses to each role, however wrong the statements were (design G2, G3).
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

/// Insufficient privilege, which is also what a row that a policy does not let in raises.
constexpr const char* kRefused = "42501";

std::string recovery_fails_with(const Database& database, const std::string& sql) {
  return database.failure_of("SET ROLE reconciled_recovery; " + sql, kRecovery);
}

std::string state_of(const Database& database, int n) {
  return database.query_value("SELECT operations::text FROM operations WHERE operation_id = '" +
                              operation_id(n) + "'");
}

TEST_CASE("recovery cannot write Failed", "[contract]") {
  const auto database = scratch_database();
  const auto from = GENERATE(values<std::string>({"Admitted", "Unknown"}));
  database.execute(insert_operation(1, {{"status", "'" + from + "'"}}));
  CHECK(recovery_fails_with(database, "UPDATE operations SET status = 'Failed'") == kRefused);
  CHECK(database.query_value("SELECT status FROM operations") == from);
}

TEST_CASE("recovery may write each of its own verdicts", "[contract]") {
  const auto database = scratch_database();
  const auto to = GENERATE(values<std::string>({"Succeeded", "Unknown", "NeedsReconciliation"}));
  database.execute(insert_operation(1));
  CHECK(recovery_fails_with(database, "UPDATE operations SET status = '" + to + "'").empty());
  CHECK(database.query_value("SELECT status FROM operations") == to);
}

TEST_CASE("recovery cannot move a final row, nor lock it", "[contract]") {
  const auto database = scratch_database();
  const auto final_status =
      GENERATE(values<std::string>({"Succeeded", "Failed", "NeedsReconciliation"}));
  database.execute(insert_operation(1, {{"status", "'" + final_status + "'"}}));
  const auto before = state_of(database, 1);
  const auto assignment = GENERATE(values<std::string>(
      {"status = 'Unknown'", "owner_version = owner_version + 1", "lease_until = now()",
       "owner_token = gen_random_uuid()", "provider_reference = 'cr_1'"}));
  const auto rows = database.query("SET ROLE reconciled_recovery; UPDATE operations SET " +
                                       assignment + " RETURNING operation_id",
                                   kRecovery);
  CHECK(rows.empty());
  CHECK(state_of(database, 1) == before);
  CHECK(database.query("SET ROLE reconciled_recovery; SELECT FROM operations FOR UPDATE", kRecovery)
            .empty());
  // Seeing it is another matter.
  CHECK(database.query("SET ROLE reconciled_recovery; SELECT FROM operations", kRecovery).size() ==
        1);
}

TEST_CASE("recovery cannot write what is the service's", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  const auto column = GENERATE(
      values<std::string>({"operation_id", "issuer", "grant_id", "caller_id", "account_id",
                           "amount", "currency", "submit_by", "created_at", "provider_context"}));
  CAPTURE(column);
  CHECK(recovery_fails_with(database, "UPDATE operations SET " + column + " = " + column) ==
        kRefused);
}

TEST_CASE("recovery cannot insert, delete or empty operations", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  CHECK(recovery_fails_with(database, insert_operation(2)) == kRefused);
  CHECK(recovery_fails_with(database, "DELETE FROM operations") == kRefused);
  CHECK(recovery_fails_with(database, "TRUNCATE operations") == kRefused);
}

TEST_CASE("recovery signs evidence of its own steps only, and never a Failed", "[contract]") {
  const auto database = scratch_database();
  for (const auto* step : {"lookup", "eligibility", "create", "handback", "late"}) {
    const auto sql = insert_evidence(1, {{"step", "'" + std::string(step) + "'"}});
    CHECK(recovery_fails_with(database, sql).empty());
  }
  for (const auto* step : {"recheck", "resolution", "executor"}) {
    const auto sql = insert_evidence(1, {{"step", "'" + std::string(step) + "'"}});
    CHECK(recovery_fails_with(database, sql) == kRefused);
  }
  CHECK(recovery_fails_with(database, insert_evidence(1, {{"decision", "'Failed'"}})) == kRefused);
}

TEST_CASE("the time and the order of evidence are not recovery's to write", "[contract]") {
  const auto database = scratch_database();
  CHECK(recovery_fails_with(database, insert_evidence(1, {{"observed_at", "now()"}})) == kRefused);
  CHECK(recovery_fails_with(database,
                            "INSERT INTO recovery_evidence (evidence_id, operation_id, "
                            "owner_version, instance, step, decision) OVERRIDING SYSTEM VALUE "
                            "VALUES (1, gen_random_uuid(), 2, 'x', 'lookup', 'Unknown')") ==
        kRefused);
}

TEST_CASE("nobody but the owner changes or removes evidence", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_evidence(1));
  const auto role = GENERATE(
      values<std::string>({"reconciled_admission", "reconciled_revocation", "reconciled_recovery",
                           "reconciled_retention", "reconciled_operator", "reconciled_reader"}));
  for (const auto* sql : {"UPDATE recovery_evidence SET decision = decision",
                          "DELETE FROM recovery_evidence", "TRUNCATE recovery_evidence"}) {
    CAPTURE(role, sql);
    CHECK(database.failure_of("SET ROLE " + role + "; " + sql) == kRefused);
  }
}

TEST_CASE("the reader sees every table and changes none", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"status", "'Failed'"}}) + insert_operation(2) +
                   insert_evidence(1));
  CHECK(database.query("SELECT FROM operations", kReader).size() == 2);
  CHECK(database.query("SELECT FROM recovery_evidence", kReader).size() == 1);
  for (const auto& row :
       database.query("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') AND "
                      "relnamespace = 'reconciled'::regnamespace")) {
    const std::string table = row[0].c_str();
    CAPTURE(table);
    CHECK(database.failure_of("SELECT FROM " + table, kReader).empty());
    CHECK(database.failure_of("DELETE FROM " + table, kReader) == kRefused);
    CHECK(database.failure_of("TRUNCATE " + table, kReader) == kRefused);
    CHECK(database.failure_of("INSERT INTO " + table + " DEFAULT VALUES", kReader) == kRefused);
    CHECK(database.failure_of("SELECT FROM " + table + " FOR UPDATE", kReader) == kRefused);
    CHECK(database.query_value("SELECT has_any_column_privilege('reader_login', '" + table +
                               "', 'INSERT, UPDATE, REFERENCES')") == "f");
  }
}

TEST_CASE("row security hides nothing from the service's own roles", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"status", "'Succeeded'"}}), kService);
  CHECK(database.query_value("SELECT count(*) FROM operations", kService) == "1");
  CHECK(database.query("UPDATE operations SET status = 'Failed' RETURNING operation_id", kService)
            .size() == 1);
}

TEST_CASE("a role without a duty, and the duties without work yet, see nothing", "[contract]") {
  const auto database = scratch_database();
  const auto role = GENERATE(
      values<std::string>({"pg_monitor", "reconciled_admission", "reconciled_revocation"}));
  CHECK(database.failure_of("SET ROLE " + role + "; SELECT FROM reconciled.operations") ==
        kRefused);
  CHECK(database.failure_of("SET ROLE " + role + "; SELECT FROM reconciled.recovery_evidence") ==
        kRefused);
}

}  // namespace
}  // namespace reconciled::test
