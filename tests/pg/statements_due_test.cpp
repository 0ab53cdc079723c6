// SPDX-License-Identifier: Apache-2.0
// next_due, count_due, preview_due and probe_operation: looking without touching.
#include "daemon/probe_operation.hpp"
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kNil = "00000000-0000-0000-0000-000000000000";
constexpr const char* kToken = "11111111-1111-4111-8111-111111111111";

Columns at(const std::string& time, const std::string& status = "Admitted") {
  return {{"lease_until", time}, {"status", "'" + status + "'"}};
}

TEST_CASE("the next lease to end is told from the moment of the takeover", "[next_due]") {
  const auto database = scratch_database();
  Session recovery(database);
  const auto wait_after = [&](const std::string& after_us) {
    const auto row = recovery.run(statements::next_due, {after_us})[0];
    return row["wait_us"].is_null() ? std::optional<long long>{} : row["wait_us"].as<long long>();
  };
  CHECK(wait_after("0") == std::nullopt);
  database.execute(insert_operation(1, at("now() + interval '1 minute'", "Succeeded")));
  CHECK(wait_after("0") == std::nullopt);

  database.execute(insert_operation(2, at("now() + interval '1 hour'", "Unknown")) +
                   insert_operation(3, at("now() + interval '2 hours'")));
  const auto wait = wait_after("0");
  REQUIRE(wait);
  CHECK(*wait <= 3'600'000'000);
  CHECK(*wait > 3'000'000'000);

  // One that ended after the takeover's look, and before this one: below zero, but not missed.
  database.execute(insert_operation(4, at("'1970-01-01T00:00:02Z'")));
  CHECK(wait_after("1999999").value() < 0);
  CHECK(wait_after("2000000").value() > 0);
}

TEST_CASE("a lease without end does not fail the question for the next one", "[next_due]") {
  const auto database = scratch_database();
  database.execute("ALTER TABLE operations DROP CONSTRAINT operations_lease_finite;" +
                   insert_operation(1, at("'infinity'")));
  Session recovery(database);
  CHECK(recovery.run(statements::next_due, {"0"})[0][0].is_null());
}

TEST_CASE("what is due before a moment is counted", "[count_due]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, at("'1970-01-01T00:00:01Z'")) +
                   insert_operation(2, at("'1970-01-01T00:00:02Z'", "Unknown")) +
                   insert_operation(3, at("'1970-01-01T00:00:01Z'", "Succeeded")));
  Session reader(database, kReader, "");
  CHECK(reader.run(statements::count_due, {"1000000"})[0][0].as<int>() == 0);
  CHECK(reader.run(statements::count_due, {"1000001"})[0][0].as<int>() == 1);
  CHECK(reader.run(statements::count_due, {"2000001"})[0][0].as<int>() == 2);
}

TEST_CASE("a preview shows page by page what a takeover would take, to a mere reader",
          "[preview_due]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, at("'1970-01-01T00:00:03Z'")) +
                   insert_operation(2, at("'1970-01-01T00:00:02Z'", "Unknown")) +
                   insert_operation(3, at("'1970-01-01T00:00:02Z'")) +
                   insert_operation(4, at("'1970-01-01T00:00:01Z'", "Failed")) +
                   insert_operation(5, at("now() + interval '1 minute'")));
  Session reader(database, kReader, "");
  reader.execute("SET default_transaction_read_only = on");
  std::string seen;
  std::string lease = "0";
  std::string id = kNil;
  for (int page = 0; page < 5; ++page) {
    const auto row = reader.run(statements::preview_due, {"1", lease, id, {}})[0];
    CHECK(row["as_of_us"].as<long long>() > 1'700'000'000'000'000);
    if (row["operation_id"].is_null()) break;
    lease = row["due_since_us"].c_str();
    id = row["operation_id"].c_str();
    seen += id.substr(35) + " " + row["status"].c_str() + " " + row["owner_version"].c_str() + ";";
  }
  CHECK(seen == "2 Unknown 1;3 Admitted 1;1 Admitted 1;");
  const auto bounded = reader.run(statements::preview_due, {"10", "0", kNil, "2000001"});
  CHECK(bounded.size() == 2);
}

TEST_CASE("a preview shows the history that the takeover would have", "[preview_due]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"owner_version", "2"}}) +
                   insert_evidence(1, {{"finding", "'found'"}}));
  Session reader(database, kReader, "");
  const auto preview = reader.run(statements::preview_due, {"1", "0", kNil, {}})[0];
  Session recovery(database);
  const auto taken = recovery.run(statements::take_over, {"1", kToken, "60000000", {}, {}})[0];
  REQUIRE(preview.size() == taken.size() + 1);
  CHECK(std::string(preview[taken.size()].name()) == "status");
  for (pqxx::row::size_type i = 1; i < taken.size(); ++i) {
    const std::string name = taken[i].name();
    CHECK(std::string(preview[i].name()) == name);
    if (name == "owner_version") continue;
    CHECK(preview[i].as<std::string>("") == taken[i].as<std::string>(""));
  }
  CHECK(preview["credit_seen"].as<bool>());
}

TEST_CASE("the session's formats and time zone change no number", "[preview_due]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"lease_until", "'2020-03-29T01:30:00.123456Z'"},
                                        {"created_at", "'2020-03-28T01:30:00.000001Z'"},
                                        {"submit_by", "'2020-10-25T02:30:00Z'"}}));
  const auto numbers_of = [&](Session& session) {
    std::string text;
    const auto row = session.run(statements::take_over, {"1", kToken, "-1", {}, {}})[0];
    for (pqxx::row::size_type i = 3; i < row.size(); ++i) text += row[i].as<std::string>("") + ";";
    const auto after = session.run(statements::next_due, {"4000000000000000"})[0];
    return text + (after[0].is_null() ? "none" : "some");
  };
  Session plain(database);
  Session foreign(database);
  foreign.execute(
      "SET DateStyle = 'German'; SET IntervalStyle = 'sql_standard';"
      "SET TimeZone = 'Asia/Kathmandu'; SET extra_float_digits = -15");
  const auto expected = numbers_of(plain);
  CHECK(expected.rfind("1585445400123456;A-1;250.00;USD;1585359000000001;1603593000000000;", 0) ==
        0);
  database.execute(
      "UPDATE operations SET owner_version = 1, lease_until = "
      "'2020-03-29T01:30:00.123456Z'");
  CHECK(numbers_of(foreign) == expected);
  // And back: a bound of whole microseconds arrives as the same moment.
  database.execute("UPDATE operations SET lease_until = '2020-03-29T01:30:00.123456Z'");
  CHECK(foreign.run(statements::count_due, {"1585445400123456"})[0][0].as<int>() == 0);
  CHECK(foreign.run(statements::count_due, {"1585445400123457"})[0][0].as<int>() == 1);
}

TEST_CASE("an operation is read for a probe as from a file, in any session and at any status",
          "[probe_operation]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"created_at", "'2020-03-28T01:30:00.000001Z'"},
                                        {"submit_by", "'2020-10-25T02:30:00Z'"},
                                        {"provider_context", "'{\"charge\":\"ch_1\"}'"},
                                        {"status", "'Succeeded'"}}));
  Session reader(database, kReader, "");
  reader.execute("SET DateStyle = 'German'; SET TimeZone = 'Asia/Kathmandu'");
  CHECK(reader.run(statements::probe_operation, {kNil}).empty());
  const auto rows = reader.run(statements::probe_operation, {operation_id(1)});
  REQUIRE(rows.size() == 1);
  const auto read = read_probe_operation(rows[0][0].c_str(), HostTime{}).value();
  CHECK(read.operation.amount == Decimal::parse("250"));
  CHECK(read.operation.created_at.since_epoch == Duration{1585359000000001});
  CHECK(read.operation.submit_by.since_epoch == Duration{1603593000000000});
  CHECK(read.operation.provider_context == R"({"charge":"ch_1"})");
  CHECK(read.as_of > read.operation.submit_by);
}

}  // namespace
}  // namespace reconciled::test
