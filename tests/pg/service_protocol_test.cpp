// SPDX-License-Identifier: Apache-2.0
// Each function of the service as a driver calls it: in autocommit through the extended protocol,
// its arguments bound as text, plain and prepared.
#include "tests/support/catch.hpp"
#include "tests/support/extended_session.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

/// Both ways to call through the extended protocol.
using Way = std::string (ExtendedSession::*)(const std::string& sql, const Arguments& arguments);
const std::vector<Way> kWays{&ExtendedSession::plain, &ExtendedSession::prepared};

/// More often than the five times after which the server tries a plan for any arguments.
constexpr int kCalls = 7;

constexpr const char* kRevocation = "reconciled_revocation";

struct Caller {
  explicit Caller(const Database& database, Way by, std::string_view role = "reconciled_admission")
      : session(database, role), way(by) {}

  std::string operator()(const std::string& function, const Arguments& arguments) {
    std::string list;
    for (std::size_t n = 1; n <= arguments.size(); ++n) {
      list += (n == 1 ? "$" : ", $") + std::to_string(n);
    }
    return (session.*way)("SELECT * FROM " + function + "(" + list + ")", arguments);
  }

  ExtendedSession session;
  Way way;
};

Way each_way() {
  const auto way = GENERATE(0U, 1U);
  CAPTURE(way);
  return kWays[way];
}

std::string grant(int n) { return "grant-" + std::to_string(n); }

TEST_CASE("the extended protocol: admission", "[service]") {
  const auto database = scratch_database();
  Caller caller(database, each_way());
  for (int n = 1; n <= kCalls; ++n) {
    database.execute(insert_grant(100 + n));
    const Arguments token{"issuer-1", grant(n), "2040-01-01 00:00+00", operation_id(n), "c", "A-1",
                          "12.50",    "USD"};
    CHECK(caller("admit_token_grant", token) == "Admitted - - -");
    CHECK(caller("admit_token_grant", token) == "AlreadyAdmittedForThisOperation Admitted - -");
    Arguments row{"issuer-1", grant(100 + n), operation_id(100 + n), "c", "A-1",
                  "12.50",    "USD",          std::nullopt};
    CHECK(caller("admit_row_grant", row) == "Admitted - - -");
    row[2] = operation_id(999);
    CHECK(caller("admit_row_grant", row) == "Refused - - consumed");
  }
  CHECK(database.query_value("SELECT count(*) FROM operations WHERE amount = 12.50") ==
        std::to_string(2 * kCalls));
}

TEST_CASE("the extended protocol: the executor", "[service]") {
  const auto database = scratch_database();
  Caller caller(database, each_way());
  for (int n = 1; n <= kCalls; ++n) {
    database.execute(insert_operation(
        n, {{"lease_until", "now() + interval '1 hour'"}, {"created_at", "'2030-01-01 00:00Z'"}}));
    CHECK(caller("may_submit", {operation_id(n), "1"}) == "t");
    CHECK(caller("may_submit", {operation_id(n), "1", operation_id(9)}) == "f");
    CHECK(caller("record_outcome", {operation_id(n), "1", "Succeeded", "cr_1"}) == "t");
    CHECK(caller("record_outcome", {operation_id(n), "1", "Failed"}) == "f");
    CHECK(caller("operation_status", {operation_id(n), "caller-1"}).substr(0, 26) ==
          "Succeeded cr_1 2030-01-01 ");
    CHECK(caller("operation_status", {operation_id(n), "caller-2"}) == "no row");
  }
}

TEST_CASE("the extended protocol: revocation", "[service]") {
  const auto database = scratch_database();
  Caller caller(database, each_way(), kRevocation);
  for (int n = 1; n <= kCalls; ++n) {
    database.execute(insert_grant(n));
    for (const auto* revoked : {"t", "f"}) {
      CHECK(caller("revoke_row_grant", {"issuer-1", grant(n)}) == revoked);
      CHECK(caller("revoke_token_grant", {"issuer-1", grant(n), "2040-01-01 00:00+00"}) == revoked);
      CHECK(caller("revoke_token_grant_without_expiry", {"issuer-2", grant(n)}) == revoked);
    }
  }
}

TEST_CASE("the extended protocol: idempotency keys", "[service]") {
  const auto database = scratch_database();
  Caller caller(database, each_way());
  for (int n = 1; n <= kCalls; ++n) {
    const auto with = [&](const Arguments& more) {
      Arguments all{"user-1", "POST /credits", operation_id(n)};
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    const auto claimed = [&] {
      const auto answer = caller("claim_idempotency_key", with({"\\x01"}));
      REQUIRE(answer.substr(0, 8) == "Claimed ");
      return answer.substr(8, 36);
    };
    const auto released = claimed();
    CHECK(caller("release_idempotency_key", with({released})) == "t");
    const auto mine = claimed();
    CHECK(caller("read_idempotency_key", with({mine, "\\x01"})) == "Mine -");
    const auto rotated = caller("mark_executed", with({mine}));
    CHECK(caller("read_idempotency_key", with({mine, "\\x01"})) == "Committed t");
    CHECK(caller("complete_idempotency_key", with({rotated, "201", "t", "\\x6f6b"})) == "t");
    CHECK(caller("claim_idempotency_key", with({"\\x01"})) == "Completed - t 201 t \\x6f6b");
  }
}

std::string failure_of(ExtendedSession& session, const std::string& sql, Way way) {
  try {
    (session.*way)(sql, {});
    return {};
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  }
}

TEST_CASE("the extended protocol: errors reach the caller with their code", "[service]") {
  const auto database = scratch_database();
  database.execute("UPDATE cleanup_mark SET cut_off = now() + interval '1 hour'");
  const auto way = each_way();
  ExtendedSession session(database, "reconciled_admission");
  const auto fails_with = [&](const std::string& sql) { return failure_of(session, sql, way); };
  CHECK(fails_with(admit_token(1)) == "RC001");
  CHECK(fails_with(admit_token(1, {{"amount", "0"}})) == "23514");
  CHECK(fails_with(admit_token(1, {{"issuer", "NULL"}})) == "22004");
  CHECK(fails_with(admit_token(1, {{"expires_at", "'infinity'"}})) == "22023");
  CHECK(fails_with(hold_key("mark_executed", 1, {{"claim_id", quoted(operation_id(1))}})) ==
        "RC003");
  CHECK(fails_with("SELECT revoke_row_grant('i', 'g')") == "42501");
  session.plain("SET default_transaction_isolation = 'repeatable read'");
  CHECK(fails_with(admit_token(1)) == "RC002");
}

}  // namespace
}  // namespace reconciled::test
