// SPDX-License-Identifier: Apache-2.0
// Idempotency keys: who may carry a request out, what becomes of it, and what a retry is told.
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kSomeId = "'11111111-1111-4111-8111-111111111111'";
constexpr const char* kOtherHash = "'\\x02'";

/// Claims the first key and returns the claim id; "" if it was not claimed.
std::string claimed(const Database& database, const Columns& changed = {}) {
  const auto row =
      Session(database, kSuperuser, "reconciled_admission").execute(claim_key(1, changed))[0];
  return row["outcome"].c_str() == std::string("Claimed") ? quoted(row["claim_id"].c_str()) : "";
}

std::string claim(const Database& database, const Columns& changed = {}) {
  return answer_of(database, claim_key(1, changed));
}

std::string read(const Database& database, const std::string& claim_id,
                 const std::string& hash = "'\\x01'") {
  return answer_of(database, hold_key("read_idempotency_key", 1,
                                      {{"claim_id", claim_id}, {"request_hash", hash}}));
}

/// The rotated claim id.
std::string executed(const Database& database, const std::string& claim_id) {
  return quoted(answer_of(database, hold_key("mark_executed", 1, {{"claim_id", claim_id}})));
}

std::string release(const Database& database, const std::string& claim_id) {
  return answer_of(database, hold_key("release_idempotency_key", 1, {{"claim_id", claim_id}}));
}

std::string complete(const Database& database, const std::string& claim_id,
                     const Columns& changed = {}) {
  auto arguments = changed;
  arguments.insert({{"claim_id", claim_id},
                    {"response_status", "201"},
                    {"response_type", "'text/plain'"},
                    {"response_body", "'\\x6f6b'"}});
  return answer_of(database, hold_key("complete_idempotency_key", 1, arguments));
}

std::string state_of(const Database& database) {
  return database.query_value("SELECT state FROM idempotency_records");
}

void make_stale(const Database& database) {
  database.execute("UPDATE idempotency_records SET claimed_at = now() - interval '2 minutes'");
}

void make_expired(const Database& database) {
  database.execute("UPDATE idempotency_records SET expires_at = now()");
}

TEST_CASE("a key is claimed once, and others are told that it is in flight", "[service]") {
  const auto database = scratch_database();
  CHECK_FALSE(claimed(database).empty());
  CHECK(claim(database) == "InFlight - - - - -");
  CHECK(database.query_value("SELECT state = 'Processing' AND request_hash = '\\x01' AND "
                             "expires_at - claimed_at BETWEEN interval '24 hours' AND interval "
                             "'24 hours 1 minute' FROM idempotency_records") == "t");
  // Another user's, endpoint's or key's is another.
  const auto other = GENERATE(values<Columns>({{{"user_id", "'user-2'"}},
                                               {{"endpoint", "'PUT /credits'"}},
                                               {{"idempotency_key", kSomeId}}}));
  CHECK_FALSE(claimed(database, other).empty());
}

TEST_CASE("a key with another request is told apart in each state", "[service]") {
  const auto database = scratch_database();
  const Columns other{{"request_hash", kOtherHash}};
  const auto mine = claimed(database);
  CHECK(claim(database, other) == "KeyReused - - - - -");
  make_stale(database);
  CHECK(claim(database, other) == "KeyReused - - - - -");
  const auto rotated = executed(database, mine);
  CHECK(claim(database, other) == "KeyReused - - - - -");
  CHECK(complete(database, rotated) == "t");
  CHECK(claim(database, other) == "KeyReused - - - - -");
  // The key's life is over: it is free again.
  make_expired(database);
  CHECK_FALSE(claimed(database, other).empty());
}

TEST_CASE("an executed request is applied, and its answer is given once it is stored",
          "[service]") {
  const auto database = scratch_database();
  const auto rotated = executed(database, claimed(database));
  CHECK(claim(database) == "ResultUnknown - t - - -");
  CHECK(complete(database, rotated) == "t");
  CHECK(claim(database) == "Completed - t 201 text/plain \\x6f6b");
  CHECK(complete(database, rotated) == "f");
}

TEST_CASE("an expired Completed or a stale Processing is replaced, and an Executed never",
          "[service]") {
  const auto database = scratch_database();
  const auto mine = claimed(database);
  SECTION("Processing, expired and not stale") {
    make_expired(database);
    CHECK(claim(database) == "InFlight - - - - -");
    CHECK(claim(database, {{"request_hash", kOtherHash}}) == "KeyReused - - - - -");
  }
  SECTION("Processing, stale") {
    make_stale(database);
    const auto next = claimed(database);
    CHECK_FALSE(next.empty());
    CHECK(next != mine);
    CHECK(read(database, mine) == "Replaced -");
    CHECK(read(database, next) == "Mine -");
    CHECK(release(database, mine) == "f");
    CHECK(failure_as(database, hold_key("mark_executed", 1, {{"claim_id", mine}})) == "RC003");
    CHECK(claim(database) == "InFlight - - - - -");
  }
  SECTION("Processing, stale and expired, for another request") {
    make_stale(database);
    make_expired(database);
    CHECK_FALSE(claimed(database, {{"request_hash", kOtherHash}}).empty());
  }
  SECTION("Completed and expired") {
    complete(database, executed(database, mine));
    make_expired(database);
    CHECK_FALSE(claimed(database).empty());
    CHECK(state_of(database) == "Processing");
    CHECK(database.query_value("SELECT response_body FROM idempotency_records") == "<null>");
  }
  SECTION("Executed, stale and expired") {
    executed(database, mine);
    make_stale(database);
    make_expired(database);
    CHECK(claim(database) == "ResultUnknown - t - - -");
    CHECK(claim(database, {{"request_hash", kOtherHash}}) == "KeyReused - - - - -");
    CHECK(state_of(database) == "Executed");
  }
}

TEST_CASE("a retried attempt learns from the database where it stands", "[service]") {
  const auto database = scratch_database();
  CHECK(read(database, kSomeId) == "Gone -");
  const auto mine = claimed(database);
  CHECK(read(database, mine) == "Mine -");
  CHECK(read(database, kSomeId) == "Replaced -");
  CHECK(read(database, mine, kOtherHash) == "Replaced -");
  const auto rotated = executed(database, mine);
  // The acknowledgement was lost, so it asks under the id that it knows.
  CHECK(read(database, mine) == "Committed t");
  CHECK(read(database, rotated) == "Committed t");
  CHECK(read(database, mine, kOtherHash) == "Replaced -");
  CHECK(read(database, mine, "NULL") == "Replaced -");
  complete(database, rotated);
  CHECK(read(database, mine) == "Committed t");
}

TEST_CASE("a claim that is lost makes the business transaction fail", "[service]") {
  const auto database = scratch_database();
  database.execute("CREATE TABLE business (n int); GRANT ALL ON business TO reconciled_admission");
  const auto mine = claimed(database);
  const auto rotated = executed(database, mine);
  const std::vector<std::string> each{mine, rotated, kSomeId, "NULL"};
  const auto lost = each[GENERATE(0U, 1U, 2U, 3U)];
  Session session(database, kSuperuser, "reconciled_admission");
  session.execute("BEGIN; INSERT INTO business VALUES (1)");
  CHECK_THROWS_AS(session.execute(hold_key("mark_executed", 1, {{"claim_id", lost}})),
                  pqxx::sql_error);
  session.execute("COMMIT");
  CHECK(database.query_value("SELECT count(*) FROM business") == "0");
  CHECK(failure_as(database, hold_key("mark_executed", 1, {{"claim_id", lost}})) == "RC003");
}

TEST_CASE("an executed mark is as committed as the business it stands for", "[service]") {
  const auto database = scratch_database();
  const auto mine = claimed(database);
  Session session(database, kSuperuser, "reconciled_admission");
  session.execute("BEGIN");
  session.execute(hold_key("mark_executed", 1, {{"claim_id", mine}}));
  CHECK(read(database, mine) == "Mine -");
  SECTION("rolled back, the claim goes on") {
    session.execute("ROLLBACK");
    CHECK(read(database, mine) == "Mine -");
    CHECK(release(database, mine) == "t");
  }
  SECTION("a takeover that waits for it finds it executed") {
    database.execute("UPDATE contract_timings SET idempotency_stale_after = '0 seconds'");
    auto taken = std::async(std::launch::async, [&] { return claim(database); });
    wait_for_lock_or(database, taken);
    session.execute("COMMIT");
    CHECK(taken.get() == "ResultUnknown - t - - -");
    CHECK(read(database, mine) == "Committed t");
  }
}

TEST_CASE("a takeover that is overtaken by the commit finds it executed", "[service]") {
  const auto database = scratch_database();
  const auto mine = claimed(database);
  make_stale(database);
  // Holds the takeover between what it read and what it deletes.
  database.execute(
      "CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS "
      "'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';"
      "CREATE TRIGGER hold BEFORE DELETE ON idempotency_records EXECUTE FUNCTION hold()");
  Session holder(database, kSuperuser, "");
  holder.execute("SELECT pg_advisory_lock(1)");
  auto taken = std::async(std::launch::async, [&] { return claim(database); });
  wait_for_lock_or(database, taken);
  executed(database, mine);
  holder.execute("SELECT pg_advisory_unlock(1)");
  CHECK(taken.get() == "ResultUnknown - t - - -");
  CHECK(read(database, mine) == "Committed t");
}

TEST_CASE("a release deletes what is Processing under the claim, and nothing else", "[service]") {
  const auto database = scratch_database();
  const auto mine = claimed(database);
  CHECK(release(database, kSomeId) == "f");
  CHECK(release(database, mine) == "t");
  CHECK(read(database, mine) == "Gone -");
  const auto rotated = executed(database, claimed(database));
  CHECK(release(database, rotated) == "f");
  complete(database, rotated);
  CHECK(release(database, rotated) == "f");
  CHECK(state_of(database) == "Completed");
}

TEST_CASE("a response is stored under the rotated id, and only one worth giving again",
          "[service]") {
  const auto database = scratch_database();
  const auto mine = claimed(database);
  CHECK(complete(database, mine) == "f");
  CHECK(state_of(database) == "Processing");
  const auto rotated = executed(database, mine);
  CHECK(complete(database, mine) == "f");
  CHECK(complete(database, kSomeId) == "f");
  const auto bad = GENERATE(values<Columns>({{{"response_status", "199"}},
                                             {{"response_status", "300"}},
                                             {{"response_status", "500"}},
                                             {{"response_status", "NULL"}},
                                             {{"response_type", "NULL"}},
                                             {{"response_body", "NULL"}},
                                             {{"response_body", "''"}},
                                             {{"response_body",
                                               "decode(repeat('00', 65537), "
                                               "'hex')"}}}));
  CHECK(complete(database, rotated, bad) == "f");
  CHECK(state_of(database) == "Executed");
  CHECK(complete(database, rotated,
                 {{"response_status", "299"},
                  {"response_body", "decode(repeat('00', 65536), 'hex')"}}) == "t");
}

TEST_CASE("a claim's arguments are not null", "[service]") {
  const auto database = scratch_database();
  const auto* name = GENERATE("user_id", "endpoint", "idempotency_key", "request_hash");
  CHECK(failure_as(database, claim_key(1, {{name, "NULL"}})) == "22004");
}

TEST_CASE("an idempotency record with an impossible column is refused", "[service]") {
  const auto database = scratch_database();
  claimed(database);
  const auto* change = GENERATE(
      "state = 'Failed'", "user_id = ''", "endpoint = repeat('x', 256)", "request_hash = ''",
      "request_hash = decode(repeat('00', 65), 'hex')", "expires_at = 'infinity'",
      "response_status = 200", "state = 'Completed'",
      "state = 'Completed', response_status = 300, response_type = 't', response_body = '1'");
  CHECK(database.failure_of(std::string("UPDATE idempotency_records SET ") + change) == "23514");
}

}  // namespace
}  // namespace reconciled::test
