// SPDX-License-Identifier: Apache-2.0
// Finding work costs what is due and not what is stored: the plans, among a million finished
// operations, as the recovery role and with row security on.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kIndex = "operations_unresolved_by_lease";
constexpr const char* kNil = "00000000-0000-0000-0000-000000000000";
constexpr const char* kToken = "11111111-1111-4111-8111-111111111111";

/// One finished million for all cases of this file, with a hundred operations that are due.
const Database& crowded_database() {
  static const Database database = [] {
    auto made = scratch_database();
    made.execute(
        "INSERT INTO operations (operation_id, issuer, grant_id, caller_id, account_id, amount,"
        " currency, status, owner_version, lease_until, submit_by, created_at)"
        " SELECT gen_random_uuid(), 'i', n::text, 'c', 'a', 1, 'USD', CASE WHEN n <= 100 THEN"
        " 'Unknown' WHEN n % 50 = 0 THEN 'Failed' ELSE 'Succeeded' END, 2,"
        " now() - n * interval '1 second', now(), now() FROM generate_series(1, 1000100) AS n;"
        "INSERT INTO recovery_evidence (operation_id, owner_version, instance, step, decision)"
        " SELECT operation_id, 2, 'x', 'lookup', status FROM operations LIMIT 100000;"
        "ANALYZE operations, recovery_evidence");
    return made;
  }();
  return database;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Question {
  const sql::Statement* statement;
  Arguments arguments;
  const char* scan;
};

TEST_CASE("no statement of a pass reads the finished million", "[plan]") {
  const auto& database = crowded_database();
  const std::string ids = "{" + std::string(kToken) + "}";
  const auto question = GENERATE_COPY(values<Question>({
      {&statements::take_over, {"64", kToken, "60000000", {}, {}}, kIndex},
      {&statements::take_over, {"64", kToken, "60000000", "4000000000000000", kToken}, kIndex},
      {&statements::read_back_takeover, {kToken}, kIndex},
      {&statements::next_due, {"1580702706789012"}, kIndex},
      {&statements::count_due, {"1580702706789012"}, kIndex},
      {&statements::measure, {}, kIndex},
      {&statements::preview_due, {"64", "0", kNil, {}}, kIndex},
      {&statements::hand_back, {ids, "{2}", ids, "x"}, "operations_pkey"},
      {&statements::postpone, {kToken, "2", kToken, "1"}, "operations_pkey"},
      {&statements::read_back_record, {ids, "{2}", ids}, "recovery_evidence_by_operation"},
      {&statements::record,
       {ids, "{2}", ids, "{Unknown}", "{1}", "{NULL}", "{NULL}", "{absent}", "{r}", "{200}", "{1}",
        "{1}", "{NULL}", "x", "{lookup}", "{NULL}"},
       "operations_pkey"},
      {&statements::defer_create, {kToken, "2", kToken, "x", "P0001"}, "operations_pkey"},
  }));
  const auto* mode = GENERATE("force_custom_plan", "force_generic_plan");
  CAPTURE(question.statement->name, mode);
  Session recovery(database);
  recovery.execute("SET plan_cache_mode = " + std::string(mode));
  const auto plan = recovery.explain(*question.statement, question.arguments);
  CAPTURE(plan);
  CHECK(contains(plan, question.scan));
  CHECK_FALSE(contains(plan, "Seq Scan on operations"));
  if (std::string(question.scan) != kIndex) CHECK_FALSE(contains(plan, kIndex));
  CHECK_FALSE(contains(plan, "Seq Scan on recovery_evidence"));
}

TEST_CASE("what waits for a person is counted by its own index", "[plan]") {
  Session recovery(crowded_database());
  const auto plan = recovery.explain(statements::measure, {});
  CAPTURE(plan);
  CHECK(contains(plan, "operations_needing_a_person"));
  CHECK(contains(plan, "recovery_evidence_by_operation"));
}

TEST_CASE("the next lease is found in the index alone, at its first entry", "[plan]") {
  Session recovery(crowded_database());
  const auto plan = recovery.explain(statements::next_due, {"1580702706789012"});
  CAPTURE(plan);
  CHECK(contains(plan, "Index Only Scan using operations_unresolved_by_lease"));
  CHECK(contains(plan, "Limit"));
}

TEST_CASE("a takeover among a million touches few pages", "[plan]") {
  // A margin of some hundreds: 64 rows of four indexes, against the ten thousands of a whole scan.
  constexpr int kPagesMax = 2500;
  Session recovery(crowded_database());
  const auto* mode = GENERATE("force_custom_plan", "force_generic_plan");
  recovery.execute("SET plan_cache_mode = " + std::string(mode));
  recovery.execute(std::string("PREPARE t AS ") + statements::take_over.text);
  recovery.execute("BEGIN");
  const auto plan =
      recovery
          .execute("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE t (64, '" +
                   std::string(kToken) + "', 60000000, NULL, NULL)")[0][0]
          .as<std::string>();
  recovery.execute("ROLLBACK");
  const auto pages = [&](const std::string& key) {
    return std::stoi(plan.substr(plan.find(key) + key.size()));
  };
  CHECK(pages("\"Actual Rows\": ") == 64);
  CHECK(pages("\"Shared Hit Blocks\": ") + pages("\"Shared Read Blocks\": ") < kPagesMax);
}

}  // namespace
}  // namespace reconciled::test
