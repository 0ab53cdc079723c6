// SPDX-License-Identifier: Apache-2.0
// Identical requests at once, and attempts whose commit is in doubt: one execution, whatever is
// repeated.
#include <barrier>
#include <future>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/proxy.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kAdmission = "reconciled_admission";

/// A table of the service's own, in which each execution leaves a row.
Database with_business() {
  auto database = scratch_database();
  database.execute("CREATE TABLE business (n int); GRANT ALL ON business TO reconciled_admission");
  return database;
}

std::string executions(const Database& database) {
  return database.query_value("SELECT count(*) FROM business");
}

/// The business transaction. Returns the rotated claim id, as SQL; throws what libpqxx throws.
std::string execute_under(Session& session, const std::string& claim_id) {
  session.execute("BEGIN");
  session.execute("INSERT INTO business VALUES (1)");
  const auto rotated =
      answer_of(session.execute(hold_key("mark_executed", 1, {{"claim_id", claim_id}})));
  session.execute("COMMIT");
  return quoted(rotated);
}

/// The claim id, as SQL; "" with `outcome` for whoever did not get it.
std::string claim(Session& session, std::string& outcome) {
  const auto row = session.execute(claim_key(1))[0];
  outcome = row["outcome"].c_str();
  return outcome == "Claimed" ? quoted(row["claim_id"].c_str()) : "";
}

std::string complete(Session& session, const std::string& rotated) {
  return answer_of(session.execute(hold_key("complete_idempotency_key", 1,
                                            {{"claim_id", rotated},
                                             {"response_status", "201"},
                                             {"response_type", "'text/plain'"},
                                             {"response_body", "'\\x6f6b'"}})));
}

TEST_CASE("24 identical requests at once are one execution", "[race]") {
  constexpr int kRequests = 24;
  const auto database = with_business();
  std::barrier start(kRequests);
  const auto request = [&] {
    Session session(database, kSuperuser, kAdmission);
    start.arrive_and_wait();
    std::string outcome;
    if (const auto mine = claim(session, outcome); !mine.empty()) {
      complete(session, execute_under(session, mine));
    }
    return outcome;
  };
  std::vector<std::future<std::string>> outcomes;
  for (int i = 0; i < kRequests; ++i) outcomes.push_back(std::async(std::launch::async, request));
  std::map<std::string, int> seen;
  for (auto& outcome : outcomes) ++seen[outcome.get()];

  CHECK(seen["Claimed"] == 1);
  CHECK(seen["InFlight"] + seen["ResultUnknown"] + seen["Completed"] == kRequests - 1);
  CHECK(executions(database) == "1");
  CHECK(answer_of(database, claim_key(1)) == "Completed - t 201 text/plain \\x6f6b");
}

TEST_CASE("G12 an attempt whose commit was lost, run again, matches no row and reads Committed",
          "[race]") {
  const auto database = with_business();
  Session session(database, kSuperuser, kAdmission);
  std::string outcome;
  const auto mine = claim(session, outcome);
  Proxy proxy{Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port())};
  const auto fault = GENERATE(Fault::lose_answer, Fault::lose_request);
  const bool is_committed = fault == Fault::lose_answer;
  CAPTURE(is_committed);
  proxy.set({.fault = fault, .statement = "BEGIN"});
  CHECK_FALSE(
      ask("postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database.name(),
          "BEGIN; INSERT INTO business VALUES (1); " +
              hold_key("mark_executed", 1, {{"claim_id", mine}}) + "; COMMIT"));
  REQUIRE(proxy.counts().hits == 1);

  const auto read = [&] {
    return answer_of(session.execute(
        hold_key("read_idempotency_key", 1, {{"claim_id", mine}, {"request_hash", "'\\x01'"}})));
  };
  CHECK(read() == (is_committed ? "Committed t" : "Mine -"));
  if (is_committed) {
    CHECK_THROWS_AS(execute_under(session, mine), pqxx::sql_error);
    session.execute("ROLLBACK");
  } else {
    execute_under(session, mine);
  }
  CHECK(read() == "Committed t");
  CHECK(executions(database) == "1");
}

TEST_CASE("an attempt that was taken over as stale cannot commit its business", "[race]") {
  const auto database = with_business();
  Session slow(database, kSuperuser, kAdmission);
  Session quick(database, kSuperuser, kAdmission);
  std::string outcome;
  const auto lost = claim(slow, outcome);
  slow.execute("BEGIN");
  slow.execute("INSERT INTO business VALUES (1)");
  database.execute("UPDATE idempotency_records SET claimed_at = now() - interval '2 minutes'");
  const auto mine = claim(quick, outcome);
  REQUIRE(outcome == "Claimed");
  execute_under(quick, mine);
  CHECK_THROWS_AS(slow.execute(hold_key("mark_executed", 1, {{"claim_id", lost}})),
                  pqxx::sql_error);
  slow.execute("COMMIT");
  CHECK(executions(database) == "1");
}

}  // namespace
}  // namespace reconciled::test
