// SPDX-License-Identifier: Apache-2.0
// What the tables themselves refuse, whoever writes.
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kCheckViolation = "23514";
constexpr const char* kNotNull = "23502";
constexpr const char* kUnique = "23505";

struct Refused {
  const char* column;
  const char* value;
  const char* sqlstate;
};

TEST_CASE("an operation with an impossible column is refused", "[contract]") {
  const auto database = scratch_database();
  const auto row = GENERATE(values<Refused>({
      {"operation_id", "'00000000-0000-0000-0000-000000000000'", kCheckViolation},
      {"issuer", "''", kCheckViolation},
      {"issuer", "repeat('x', 256)", kCheckViolation},
      {"grant_id", "''", kCheckViolation},
      {"grant_id", "repeat('x', 256)", kCheckViolation},
      {"caller_id", "''", kCheckViolation},
      {"account_id", "''", kCheckViolation},
      {"amount", "0", kCheckViolation},
      {"amount", "-0.01", kCheckViolation},
      {"amount", "'NaN'", kCheckViolation},
      {"amount", "'Infinity'", kCheckViolation},
      {"amount", "'-Infinity'", kCheckViolation},
      {"currency", "''", kCheckViolation},
      {"status", "'admitted'", kCheckViolation},
      {"status", "''", kCheckViolation},
      {"owner_version", "0", kCheckViolation},
      {"lease_until", "'infinity'", kCheckViolation},
      {"lease_until", "'-infinity'", kCheckViolation},
      {"submit_by", "'infinity'", kCheckViolation},
      {"submit_by", "'-infinity'", kCheckViolation},
      {"created_at", "'infinity'", kCheckViolation},
      {"created_at", "'-infinity'", kCheckViolation},
      {"operation_id", "NULL", kNotNull},
      {"issuer", "NULL", kNotNull},
      {"grant_id", "NULL", kNotNull},
      {"caller_id", "NULL", kNotNull},
      {"account_id", "NULL", kNotNull},
      {"amount", "NULL", kNotNull},
      {"currency", "NULL", kNotNull},
      {"status", "NULL", kNotNull},
      {"owner_version", "NULL", kNotNull},
      {"lease_until", "NULL", kNotNull},
      {"submit_by", "NULL", kNotNull},
      {"created_at", "NULL", kNotNull},
  }));
  CAPTURE(row.column, row.value);
  CHECK(database.failure_of(insert_operation(1, {{row.column, row.value}}), kService) ==
        row.sqlstate);
}

TEST_CASE("an operation at the edge of what is possible is accepted", "[contract]") {
  const auto database = scratch_database();
  const auto columns = GENERATE(values<Columns>({
      {},
      {{"issuer", "repeat('x', 255)"}, {"grant_id", "'g'"}},
      // Characters are counted, not bytes.
      {{"grant_id", "repeat(chr(8364), 255)"}},
      {{"amount", "0.0000000000000000000000000001"}},
      {{"amount", "1e300"}},
      {{"status", "'Unknown'"}},
      {{"status", "'Succeeded'"}},
      {{"status", "'Failed'"}},
      {{"status", "'NeedsReconciliation'"}},
      {{"owner_version", "9223372036854775807"}},
  }));
  CHECK(database.failure_of(insert_operation(1, columns), kService).empty());
}

TEST_CASE("a grant makes one operation, and an operation id is used once", "[contract]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1), kService);
  CHECK(database.failure_of(insert_operation(2, {{"grant_id", "'grant-1'"}})) == kUnique);
  CHECK(database.failure_of(insert_operation(1, {{"grant_id", "'grant-2'"}})) == kUnique);
  // The same grant id of another issuer is another grant.
  CHECK(database
            .failure_of(insert_operation(2, {{"grant_id", "'grant-1'"}, {"issuer", "'issuer-2'"}}))
            .empty());
}

TEST_CASE("evidence speaks the words of the contract and no others", "[contract]") {
  const auto database = scratch_database();
  const auto step = GENERATE(values<std::string>({"lookup", "eligibility", "create", "handback",
                                                  "recheck", "resolution", "late", "executor"}));
  CHECK(database.failure_of(insert_evidence(1, {{"step", "'" + step + "'"}})).empty());
  CHECK(database.failure_of(insert_evidence(1, {{"step", "'" + step + "s'"}})) == kCheckViolation);
  CHECK(database.failure_of(insert_evidence(1, {{"step", "NULL"}})) == kNotNull);
  CHECK(database.failure_of(insert_evidence(1, {{"decision", "NULL"}})) == kNotNull);
}

TEST_CASE("a finding is one of nine words or none", "[contract]") {
  const auto database = scratch_database();
  const auto finding = GENERATE(
      values<std::string>({"found", "absent", "incomplete", "throttled", "refused", "unreachable",
                           "no-answer", "unintelligible", "missing-context"}));
  CHECK(database.failure_of(insert_evidence(1, {{"finding", "'" + finding + "'"}})).empty());
  CHECK(database.failure_of(insert_evidence(1, {{"finding", "NULL"}})).empty());
  CHECK(database.failure_of(insert_evidence(1, {{"finding", "'Found'"}})) == kCheckViolation);
}

TEST_CASE("evidence goes on beyond the last 32-bit number", "[contract]") {
  const auto database = scratch_database();
  CHECK(database.query_value("SELECT data_type FROM pg_sequences WHERE sequencename = "
                             "'recovery_evidence_evidence_id_seq'") == "bigint");
  database.execute("SELECT setval('recovery_evidence_evidence_id_seq', 2147483647)");
  database.execute(insert_evidence(1));
  CHECK(database.query_value("SELECT evidence_id FROM recovery_evidence") == "2147483648");
}

TEST_CASE("a timing is neither negative nor counted in days, and there is one row", "[contract]") {
  const auto database = scratch_database();
  CHECK(database.failure_of("UPDATE contract_timings SET lease_margin = '-1 second'") ==
        kCheckViolation);
  // A day in summer time's night is 23 hours or 25.
  CHECK(database.failure_of("UPDATE contract_timings SET submission_window = '1 day'") ==
        kCheckViolation);
  CHECK(database.failure_of("UPDATE contract_timings SET submission_window = '1 month'") ==
        kCheckViolation);
  CHECK(database.failure_of("UPDATE contract_timings SET submission_window = '168 hours'").empty());
  CHECK(database.failure_of("INSERT INTO contract_timings DEFAULT VALUES") == kUnique);
  CHECK(database.failure_of("INSERT INTO contract_timings (only_row) VALUES (false)") ==
        kCheckViolation);
  CHECK(database.failure_of("INSERT INTO contract_version (version) VALUES (1)") == kUnique);
}

}  // namespace
}  // namespace reconciled::test
