// SPDX-License-Identifier: Apache-2.0
// measure.sql, as the recovery role and through the eyes of its reader.
#include "daemon/backlog.hpp"
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

Backlog measure(const Database& database) {
  DatabaseBench bench(database.uri(kRecovery));
  const auto rows = bench.run(sql::statements::measure);
  REQUIRE(rows.has_value());
  return read_backlog(*rows);
}

using Key = std::pair<std::string, std::string>;

TEST_CASE("an empty database has no backlog, and a clock", "[measure]") {
  const auto database = scratch_database();
  const auto backlog = measure(database);
  CHECK(backlog.operations.empty());
  CHECK(backlog.due == 0);
  CHECK(backlog.oldest_due == 0s);
  CHECK(backlog.now > DatabaseTime{});
}

TEST_CASE("the backlog counts what has no outcome, by the reason recorded last", "[measure]") {
  const auto database = scratch_database();
  const Columns looked{{"status", "'Unknown'"}, {"owner_version", "2"}};
  const Columns person{{"status", "'NeedsReconciliation'"},
                       {"owner_version", "3"},
                       {"created_at", "now() - interval '2 hours'"}};
  const Columns unknown{{"decision", "'Unknown'"}, {"reason", "'pending'"}};
  const Columns decided{{"decision", "'NeedsReconciliation'"}, {"reason", "'mismatch'"}};
  const Columns late{{"decision", "'none'"}, {"step", "'late'"}, {"reason", "NULL"}};
  for (const auto& statement :
       {insert_operation(1), insert_operation(2, {{"lease_until", "now() + interval '1 hour'"}}),
        insert_operation(3, looked), insert_operation(4, person),
        insert_operation(5, {{"status", "'Succeeded'"}}),
        insert_operation(6, {{"status", "'Failed'"}}),
        insert_operation(7, {{"lease_until", "now() - interval '3 hours'"}}),
        insert_evidence(3, {{"decision", "'Unknown'"}, {"reason", "'unreachable'"}}),
        insert_evidence(3, unknown), insert_evidence(4, unknown), insert_evidence(4, decided),
        insert_evidence(4, late)})
    database.execute(statement);
  const auto backlog = measure(database);
  CHECK(backlog.operations ==
        std::map<Key, std::int64_t>{{Key{"Admitted", ""}, 3},
                                    {Key{"Unknown", "pending"}, 1},
                                    {Key{"NeedsReconciliation", "mismatch"}, 1}});
  CHECK(backlog.due == 3);
  CHECK(backlog.oldest_due >= 3h);
  CHECK(backlog.oldest_due < 4h);
  CHECK(backlog.oldest_needs_reconciliation >= 2h);
  CHECK(backlog.oldest_needs_reconciliation < 3h);
}

TEST_CASE("times that a service's table may hold are measured all the same", "[measure]") {
  const auto database = scratch_database();
  database.execute(
      "ALTER TABLE operations DROP CONSTRAINT operations_lease_finite,"
      " DROP CONSTRAINT operations_created_finite");
  database.execute(
      insert_operation(1, {{"lease_until", "'-infinity'"}, {"created_at", "'-infinity'"}}));
  database.execute(insert_operation(2, {{"lease_until", "'infinity'"},
                                        {"created_at", "'infinity'"},
                                        {"status", "'NeedsReconciliation'"}}));
  const auto backlog = measure(database);
  CHECK(backlog.due == 1);
  CHECK(backlog.oldest_due > 0s);
  CHECK(backlog.oldest_needs_reconciliation == 0s);
}

TEST_CASE("consumption rows are the server's estimate, once it has one", "[measure]") {
  const auto database = scratch_database();
  CHECK_FALSE(measure(database).consumption_rows);
  database.execute(
      "INSERT INTO grant_consumptions SELECT 'i', n::text, gen_random_uuid(), now(), now()"
      " + interval '1 day' FROM generate_series(1, 7) AS n");
  database.execute("ANALYZE grant_consumptions");
  CHECK(measure(database).consumption_rows == 7);
}

}  // namespace
}  // namespace reconciled::test
