// SPDX-License-Identifier: Apache-2.0
// list, show and check: what the statements find, SELECT only, whatever a service's own table
// holds.
#include "daemon/verb_rows.hpp"
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kHour = "3600000000";

struct Reader : Session {
  explicit Reader(const Database& database) : Session(database, kReader, "") {}
};

std::string ids(const pqxx::result& rows) {
  std::string text;
  for (const auto& row : rows) text += row["operation_id"].as<std::string>().substr(35) + " ";
  return text;
}

Arguments listed(const std::string& statuses) {
  return {statuses, std::nullopt, std::nullopt, std::nullopt, std::nullopt, std::nullopt, "100"};
}

TEST_CASE("list finds by status, reason, age and account, oldest first, page by page", "[verbs]") {
  const auto database = scratch_database();
  database.execute(
      insert_operation(1, {{"created_at", "now() - interval '3 hours'"}}) +
      insert_operation(
          2, {{"status", "'NeedsReconciliation'"}, {"created_at", "now() - interval '5 hours'"}}) +
      insert_operation(3, {{"status", "'Succeeded'"}, {"account_id", "'A-2'"}}) +
      insert_operation(4, {{"status", "'Failed'"}}) +
      insert_operation(5, {{"status", "'Unknown'"}, {"account_id", "'A-2'"}}) +
      insert_evidence(2, {{"decision", "'NeedsReconciliation'"}, {"reason", "'mismatch'"}}) +
      insert_evidence(2, {{"step", "'late'"}, {"decision", "'none'"}, {"reason", "'pending'"}}) +
      insert_evidence(5));
  Reader reader(database);
  const auto list = [&](const Arguments& arguments) {
    return ids(reader.run(statements::list_operations, arguments));
  };
  const std::string open = "{Admitted,Unknown,NeedsReconciliation}";
  CHECK(list(listed(open)) == "2 1 5 ");
  CHECK(list(listed("{Succeeded,Failed}")) == "3 4 ");
  CHECK(list(listed("{Failed,Unknown}")) == "4 5 ");
  auto arguments = listed(open);
  arguments[1] = "mismatch";
  CHECK(list(arguments) == "2 ");
  arguments = listed(open);
  arguments[2] = kHour;
  CHECK(list(arguments) == "2 1 ");
  arguments = listed(open);
  arguments[3] = "A-2";
  CHECK(list(arguments) == "5 ");
  arguments = listed(open);
  arguments[6] = "2";
  const auto first = reader.run(statements::list_operations, arguments);
  CHECK(ids(first) == "2 1 ");
  // The reason is that of the present status, not of the last row of evidence.
  CHECK(first[0]["reason"].as<std::string>() == "mismatch");
  CHECK(first[1]["reason"].is_null());
  arguments[4] = first[1]["created_at"].as<std::string>();
  arguments[5] = first[1]["operation_id"].as<std::string>();
  CHECK(list(arguments) == "5 ");
}

TEST_CASE("what is open is found by its index, whatever is stored", "[verbs]") {
  const auto database = scratch_database();
  Reader reader(database);
  reader.execute("SET plan_cache_mode = force_generic_plan");
  const auto plan =
      reader.explain(statements::list_operations, listed("{Unknown,NeedsReconciliation}"));
  CAPTURE(plan);
  CHECK(plan.find("operations_unresolved_by_lease") != std::string::npos);
  CHECK(plan.find("operations_needing_a_person") != std::string::npos);
  CHECK(plan.find("One-Time Filter") != std::string::npos);
}

TEST_CASE("the columns are those that the JSON is made of, in their order", "[verbs]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"lease_until", "now() - interval '1 day'"}}) +
                   insert_evidence(1));
  Reader reader(database);
  const auto same = [](const pqxx::result& rows, std::span<const Column> columns,
                       std::size_t further) {
    REQUIRE(rows.size() == 1);
    REQUIRE(static_cast<std::size_t>(rows.columns()) == columns.size() + further);
    for (std::size_t at = 0; at < columns.size(); ++at)
      CHECK(std::string(rows.column_name(static_cast<pqxx::row::size_type>(at))) ==
            columns[at].name);
  };
  same(reader.run(statements::list_operations, listed("{Admitted}")), list_columns(), 0);
  same(reader.run(statements::show_operation, {operation_id(1)}), operation_columns(), 0);
  same(reader.run(statements::show_evidence, {operation_id(1), "0", "9"}), time_line_columns(), 0);
  same(reader.run(statements::check_unresolved, {kHour, kHour, kHour, "9"}), check_columns(), 1);
  CHECK(time_line_columns().size() == evidence_columns().size() + 3);
}

TEST_CASE("check finds what is neither in flight nor scheduled, and nothing else", "[verbs]") {
  const auto database = scratch_database();
  const std::string over = "now() - interval '2 hours'";
  const std::string token = "gen_random_uuid()";
  database.execute(
      // As it must be: due a moment ago, scheduled, in flight, left to a person, settled.
      insert_operation(1) + insert_operation(2, {{"lease_until", "now() + interval '1 minute'"}}) +
      insert_operation(3, {{"owner_token", token}, {"lease_until", "now() + interval '1 min'"}}) +
      insert_operation(4, {{"status", "'NeedsReconciliation'"}, {"lease_until", over}}) +
      insert_operation(5, {{"status", "'Succeeded'"}, {"lease_until", over}}) +
      // And not.
      insert_operation(6, {{"lease_until", over}}) +
      insert_operation(7, {{"status", "'Unknown'"},
                           {"lease_until", "now() + interval '1 year'"},
                           {"created_at", "now() - interval '1 hour'"}}) +
      insert_operation(8, {{"submit_by", "now() + interval '1 year'"}}) +
      insert_operation(9, {{"owner_version", "9223372036854775807"}}) + insert_evidence(6) +
      insert_evidence(6, {{"finding", "'no-answer'"}, {"reason", "'no-answer'"}}));
  Reader reader(database);
  const auto found = reader.run(statements::check_unresolved, {kHour, kHour, "86400000000", "9"});
  std::string text;
  for (const auto& row : found)
    text += row["operation_id"].as<std::string>().substr(35) + " " + row["fault"].c_str() + " " +
            row["reason"].c_str() + "; ";
  CHECK(text ==
        "7 lease_until is too far away ; 6 overdue no-answer; 8 submit_by is too far away ; "
        "9 owner_version cannot grow ; ");
  CHECK(found[0]["faults"].as<int>() == 4);
  const auto first = reader.run(statements::check_unresolved, {kHour, kHour, "86400000000", "1"});
  CHECK(ids(first) == "7 ");
  CHECK(first[0]["faults"].as<int>() == 4);
  const auto counts = reader.run(statements::count_unresolved);
  CHECK(counts[0]["unresolved"].as<int>() == 7);
  CHECK(counts[0]["in_flight"].as<int>() == 1);
}

/// What no CHECK keeps out of a table behind a view.
constexpr char kUnchecked[] =
    "ALTER TABLE operations DROP CONSTRAINT operations_status_known, DROP CONSTRAINT "
    "operations_lease_finite, DROP CONSTRAINT operations_submit_by_finite, DROP CONSTRAINT "
    "operations_created_finite; ALTER TABLE operations ALTER lease_until DROP NOT NULL, "
    "ALTER submit_by DROP NOT NULL, ALTER created_at DROP NOT NULL, ALTER status DROP NOT NULL; ";

TEST_CASE("check and show bear times that are none and statuses that are not known", "[verbs]") {
  const auto database = scratch_database();
  database.execute(kUnchecked + insert_operation(1, {{"lease_until", "'infinity'"}}) +
                   insert_operation(2, {{"lease_until", "NULL"}}) +
                   insert_operation(3, {{"submit_by", "'-infinity'"}}) +
                   insert_operation(4, {{"created_at", "NULL"}}) +
                   insert_operation(5, {{"status", "'Pending'"}}) +
                   insert_operation(6, {{"status", "NULL"}}) +
                   insert_operation(7, {{"created_at", "'infinity'"}}));
  Reader reader(database);
  CHECK(ids(reader.run(statements::check_unresolved, {kHour, kHour, kHour, "9"})) == "4 1 2 3 7 ");
  const auto known = "{Admitted,Unknown,Succeeded,Failed,NeedsReconciliation}";
  CHECK(ids(reader.run(statements::check_statuses, {known, "9"})) == "5 6 ");
  CHECK(reader.run(statements::show_operation, {operation_id(1)})[0]["lease_until"].c_str() ==
        std::string("Infinity"));
  CHECK(ids(reader.run(statements::list_operations, listed("{Admitted}"))) == "1 2 3 7 4 ");
}

TEST_CASE("a status that the table's own CHECK rules out is not searched for", "[verbs]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  Reader reader(database);
  CHECK(reader.run(statements::check_statuses, {"{}", "9"}).empty());
}

}  // namespace
}  // namespace reconciled::test
