// SPDX-License-Identifier: Apache-2.0
// take_over and its read back: who gets which row, and what comes with it.
#include <chrono>
#include <future>

#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;
using namespace std::chrono_literals;

constexpr const char* kToken = "11111111-1111-4111-8111-111111111111";
constexpr const char* kLease = "60000000";

pqxx::result take_over(Session& session, int limit, const Arguments& bounds = {{}, {}}) {
  return session.run(statements::take_over,
                     {std::to_string(limit), kToken, kLease, bounds.at(0), bounds.at(1)});
}

/// The numbers of the operations in the answer, in its order.
std::vector<int> numbers(const pqxx::result& rows) {
  std::vector<int> found;
  for (const auto& row : rows) {
    if (row["operation_id"].is_null()) continue;
    found.push_back(std::stoi(std::string(row["operation_id"].c_str()).substr(24)));
  }
  return found;
}

Columns leased(const std::string& ago) {
  return {{"lease_until", "now() - interval '" + ago + "'"}};
}

TEST_CASE("a takeover owns the row under a new version, its token and a full lease",
          "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  Session recovery(database);
  REQUIRE(numbers(take_over(recovery, 10)) == std::vector{1});
  const auto row = database.query(
      "SELECT owner_version, owner_token, status, lease_until BETWEEN clock_timestamp() + "
      "interval '30 s' AND clock_timestamp() + interval '60 s' FROM operations")[0];
  CHECK(row[0].as<int>() == 2);
  CHECK(row[1].as<std::string>() == kToken);
  CHECK(row[2].as<std::string>() == "Admitted");
  CHECK(row[3].as<bool>());
  // It is owned now, so the next one finds nothing.
  CHECK(numbers(take_over(recovery, 10)).empty());
}

TEST_CASE("a takeover returns what the lookup needs", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"amount", "12.340"},
                                        {"lease_until", "'2020-02-03T04:05:06.789012Z'"},
                                        {"created_at", "'2020-01-01T00:00:00.000001Z'"},
                                        {"submit_by", "'2020-01-02T00:00:00.999999Z'"},
                                        {"provider_context", R"('{"wallet": "w-1"}')"}}));
  Session recovery(database);
  const auto row = take_over(recovery, 10)[0];
  std::vector<std::string> names;
  for (const auto& field : row) names.emplace_back(field.name());
  CHECK(names == std::vector<std::string>{"as_of_us", "operation_id", "owner_version",
                                          "due_since_us", "account_id", "amount", "currency",
                                          "created_at_us", "submit_by_us", "provider_context",
                                          "credit_seen", "looks_since_recheck"});
  CHECK(row["as_of_us"].as<long long>() > 1'700'000'000'000'000);
  CHECK(row["owner_version"].as<int>() == 2);
  CHECK(row["due_since_us"].as<long long>() == 1'580'702'706'789'012);
  CHECK(row["account_id"].as<std::string>() == "A-1");
  CHECK(row["amount"].as<std::string>() == "12.340");
  CHECK(row["currency"].as<std::string>() == "USD");
  CHECK(row["created_at_us"].as<long long>() == 1'577'836'800'000'001);
  CHECK(row["submit_by_us"].as<long long>() == 1'577'923'200'999'999);
  CHECK(row["provider_context"].as<std::string>() == R"({"wallet": "w-1"})");
  CHECK_FALSE(row["credit_seen"].as<bool>());
  CHECK(row["looks_since_recheck"].as<int>() == 0);
}

TEST_CASE("with nothing due the database's time comes alone", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"lease_until", "now() + interval '1 minute'"}}) +
                   insert_operation(2, {{"status", "'Succeeded'"}}));
  Session recovery(database);
  const auto rows = take_over(recovery, 10);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0][0].as<long long>() > 1'700'000'000'000'000);
  for (pqxx::row::size_type column = 1; column < rows[0].size(); ++column) {
    CHECK(rows[0][column].is_null());
  }
}

TEST_CASE("only unresolved operations are taken over", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"status", "'Admitted'"}}) +
                   insert_operation(2, {{"status", "'Unknown'"}, {"lease_until", "now()"}}) +
                   insert_operation(3, {{"status", "'Succeeded'"}}) +
                   insert_operation(4, {{"status", "'Failed'"}}) +
                   insert_operation(5, {{"status", "'NeedsReconciliation'"}}));
  Session recovery(database);
  CHECK(numbers(take_over(recovery, 10)) == std::vector{1, 2});
}

TEST_CASE("the oldest lease goes first, and no more than asked for", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, leased("1 minute")) + insert_operation(2, leased("3 days")) +
                   insert_operation(3, leased("2 hours")) + insert_operation(4, leased("1 s")));
  Session recovery(database);
  CHECK(numbers(take_over(recovery, 3)) == std::vector{2, 3, 1});
  CHECK(numbers(take_over(recovery, 3)) == std::vector{4});
}

TEST_CASE("a bound leaves out what became due later, and a name leaves out one", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"lease_until", "'1970-01-01T00:00:01.000000Z'"}}) +
                   insert_operation(2, {{"lease_until", "'1970-01-01T00:00:01.000001Z'"}}) +
                   insert_operation(3, leased("1 s")));
  Session recovery(database);
  CHECK(numbers(take_over(recovery, 10, {"1000000", {}})).empty());
  CHECK(numbers(take_over(recovery, 10, {"1000001", operation_id(1)})).empty());
  CHECK(numbers(take_over(recovery, 10, {"1000001", {}})) == std::vector{1});
  // A bound in the future does not make anything due that is not.
  database.execute(
      "UPDATE operations SET lease_until = now() + interval '1 hour' "
      "WHERE operation_id = '" +
      operation_id(3) + "'");
  CHECK(numbers(take_over(recovery, 10, {"4000000000000000", {}})) == std::vector{2});
}

TEST_CASE("a row that somebody else has locked is passed over", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, leased("2 minutes")) + insert_operation(2));
  Session service(database, kService, "");
  service.execute("BEGIN");
  service.execute("SELECT FROM operations WHERE operation_id = '" + operation_id(1) +
                  "' FOR UPDATE");
  Session recovery(database);
  recovery.execute("SET lock_timeout = '2s'");
  CHECK(numbers(take_over(recovery, 10)) == std::vector{2});
  service.execute("ROLLBACK");
  CHECK(numbers(take_over(recovery, 10)) == std::vector{1});
}

/// Runs the takeover without its row lock while the row is being changed, so that only what the
/// outer WHERE says again can save it. As the superuser, whom the policy does not protect.
std::vector<int> taken_while(const Database& database, const std::string& change) {
  std::string text = statements::take_over.text;
  const std::string lock = "FOR UPDATE SKIP LOCKED";
  text.erase(text.find(lock), lock.size());
  const sql::Statement unlocked{"take_over_unlocked", text.c_str()};

  Session service(database, kService, "");
  Session taker(database, kSuperuser, "");
  service.execute("BEGIN");
  service.execute("UPDATE operations SET " + change);
  auto taken = std::async(std::launch::async, [&] {
    return numbers(taker.run(unlocked, {"10", kToken, kLease, {}, {}}));
  });
  while (database.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                              "'Lock'") != "1" &&
         taken.wait_for(5ms) == std::future_status::timeout) {
  }
  service.execute("COMMIT");
  return taken.get();
}

TEST_CASE("a row that changed between choosing and updating is not taken over", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  SECTION("completed") {
    const auto* status = GENERATE("Succeeded", "Failed", "NeedsReconciliation");
    CHECK(taken_while(database, "status = '" + std::string(status) + "'").empty());
    CHECK(database.query_value("SELECT status FROM operations") == status);
  }
  SECTION("taken over by somebody else, whose lease has run out already") {
    CHECK(taken_while(database, "owner_version = owner_version + 1").empty());
  }
  SECTION("put off") {
    CHECK(taken_while(database, "lease_until = lease_until - interval '1 s'").empty());
  }
  SECTION("changed in nothing that matters") {
    CHECK(taken_while(database, "provider_context = '{}'") == std::vector{1});
  }
}

TEST_CASE("a version that cannot grow does not fail the others", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"owner_version", "9223372036854775807"}}) +
                   insert_operation(2));
  Session recovery(database);
  CHECK(numbers(take_over(recovery, 10)) == std::vector{2});
}

TEST_CASE("times without end do not fail the others", "[take_over]") {
  const auto database = scratch_database();
  database.execute(
      "ALTER TABLE operations DROP CONSTRAINT operations_submit_by_finite, "
      "DROP CONSTRAINT operations_created_finite, DROP CONSTRAINT operations_lease_finite;" +
      insert_operation(1, {{"submit_by", "'infinity'"},
                           {"created_at", "'-infinity'"},
                           {"lease_until", "'-infinity'"}}) +
      insert_operation(2, {{"submit_by", "'294276-12-31'"}}));
  Session recovery(database);
  const auto rows = take_over(recovery, 10);
  REQUIRE(numbers(rows) == std::vector{1, 2});
  CHECK(rows[0]["due_since_us"].as<long long>() == 0);
  CHECK(rows[0]["created_at_us"].as<long long>() == 0);
  CHECK(rows[0]["submit_by_us"].as<long long>() == 253'402'214'400'000'000);
  CHECK(rows[1]["submit_by_us"].as<long long>() == 253'402'214'400'000'000);
}

struct History {
  const char* says;
  std::vector<Columns> evidence;
  bool credit_seen;
  int looks;
};

TEST_CASE("a takeover tells what earlier looks saw", "[take_over]") {
  const auto database = scratch_database();
  const Columns absent;
  const Columns found{{"finding", "'found'"}};
  const Columns recheck{{"step", "'recheck'"}, {"finding", "NULL"}};
  const auto history = GENERATE_COPY(values<History>({
      {"nobody looked", {}, false, 0},
      {"absent twice", {absent, absent}, false, 2},
      {"a credit", {found, absent}, true, 2},
      {"part of an answer, with a credit",
       {{{"finding", "'incomplete'"}, {"provider_reference", "'cr_1'"}}},
       true,
       1},
      {"part of an answer, without one", {{{"finding", "'incomplete'"}}}, false, 1},
      {"a late credit", {{{"step", "'late'"}, {"finding", "'found'"}}}, true, 0},
      {"found, but not by a look", {{{"step", "'create'"}, {"finding", "'found'"}}}, false, 0},
      {"looks before and after a recheck", {absent, found, recheck, absent}, true, 1},
      {"only the last recheck counts", {absent, recheck, absent, absent, recheck}, false, 0},
  }));
  CAPTURE(history.says);
  std::string rows = insert_operation(1, {{"owner_version", "2"}}) + insert_evidence(2, found);
  for (const auto& columns : history.evidence) rows += insert_evidence(1, columns);
  database.execute(rows);
  Session recovery(database);
  const auto row = take_over(recovery, 10)[0];
  CHECK(row["credit_seen"].as<bool>() == history.credit_seen);
  CHECK(row["looks_since_recheck"].as<int>() == history.looks);
}

TEST_CASE("the first takeover of an operation reads no evidence", "[take_over]") {
  const auto database = scratch_database();
  const auto* version = GENERATE("1", "2");
  database.execute(insert_operation(1, {{"owner_version", version}}) + insert_evidence(1));
  Session recovery(database);
  recovery.execute(std::string("PREPARE t AS ") + statements::take_over.text);
  std::string plan;
  bool evidence = false;
  for (const auto& line : recovery.execute("EXPLAIN (ANALYZE, TIMING OFF) EXECUTE t (10, '" +
                                           std::string(kToken) + "', 60000000, NULL, NULL)")) {
    const std::string text = line[0].c_str();
    if (text.find("on recovery_evidence e") == std::string::npos) continue;
    evidence = true;
    CHECK((text.find("never executed") != std::string::npos) == (std::string(version) == "1"));
  }
  CHECK(evidence);
}

TEST_CASE("a lost takeover is read back by its token while its lease runs", "[take_over]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"owner_version", "2"}}) + insert_operation(2) +
                   insert_evidence(1, {{"finding", "'found'"}}));
  Session recovery(database);
  const auto taken = take_over(recovery, 1, {{}, operation_id(2)});
  REQUIRE(numbers(taken) == std::vector{1});
  const auto read = recovery.run(statements::read_back_takeover, {kToken});
  REQUIRE(numbers(read) == std::vector{1});
  for (const auto& field : taken[0]) {
    const std::string name = field.name();
    if (name == "as_of_us" || name == "due_since_us") continue;
    CHECK(read[0][name].as<std::string>("") == field.as<std::string>(""));
  }
  CHECK(read[0]["due_since_us"].as<std::string>() == read[0]["created_at_us"].as<std::string>());
  CHECK(read[0]["as_of_us"].as<long long>() >= taken[0]["as_of_us"].as<long long>());

  SECTION("not by another token") {
    const auto other = recovery.run(statements::read_back_takeover, {operation_id(9)});
    CHECK(other.size() == 1);
    CHECK(numbers(other).empty());
  }
  SECTION("not after the lease") {
    database.execute("UPDATE operations SET lease_until = now()");
    CHECK(numbers(recovery.run(statements::read_back_takeover, {kToken})).empty());
  }
  SECTION("not when it is final") {
    database.execute("UPDATE operations SET status = 'Succeeded'");
    CHECK(numbers(recovery.run(statements::read_back_takeover, {kToken})).empty());
  }
}

}  // namespace
}  // namespace reconciled::test
