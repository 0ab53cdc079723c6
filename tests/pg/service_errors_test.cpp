// SPDX-License-Identifier: Apache-2.0
// What admission raises, and how it may be called: isolation, old transactions, arguments,
// durability and the cleanup mark.
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

std::string failure_of(Session& session, const std::string& sql) {
  try {
    session.execute(sql);
    return {};
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  }
}

/// A call of each function that admits, for the first operation.
std::string each_admission() { return GENERATE(admit_token(1), admit_row(1)); }

TEST_CASE("admission raises RC002 outside Read Committed", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1));
  const auto admit = each_admission();
  const auto* level = GENERATE("SERIALIZABLE", "REPEATABLE READ", "READ UNCOMMITTED");
  Session session(database, kSuperuser, "reconciled_admission");
  session.execute("BEGIN ISOLATION LEVEL " + std::string(level));
  CHECK(failure_of(session, admit) == "RC002");
  session.execute("ROLLBACK");
  // Also where it is the session's default, in autocommit.
  session.execute("SET default_transaction_isolation = '" + std::string(level) + "'");
  CHECK(failure_of(session, admit) == "RC002");
  CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
}

TEST_CASE("admission raises RC004 in a transaction older than store_call_timeout", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1));
  const auto admit = each_admission();
  Session session(database, kSuperuser, "reconciled_admission");
  session.execute("BEGIN");
  SECTION("which is long over") {
    database.execute("UPDATE contract_timings SET store_call_timeout = '1 microsecond'");
    CHECK(failure_of(session, admit) == "RC004");
    session.execute("ROLLBACK");
    CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
    // A transaction of its own begins with the statement.
    CHECK(answer_of(session.execute(admit)) == "Admitted - - -");
  }
  SECTION("but not in a young one") {
    CHECK(answer_of(session.execute(admit)) == "Admitted - - -");
  }
}

TEST_CASE("an argument of admission that is null raises 22004", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1));
  const auto* name = GENERATE("issuer", "grant_id", "operation_id", "caller_id", "account_id",
                              "amount", "currency", "expires_at");
  CAPTURE(name);
  CHECK(failure_as(database, admit_token(1, {{name, "NULL"}})) == "22004");
  if (name != std::string("expires_at")) {
    CHECK(failure_as(database, admit_row(1, {{name, "NULL"}})) == "22004");
  }
}

TEST_CASE("a token that never expires raises 22023", "[service]") {
  const auto database = scratch_database();
  const auto* when = GENERATE("'infinity'", "'-infinity'");
  CHECK(failure_as(database, admit_token(1, {{"expires_at", when}})) == "22023");
}

TEST_CASE("without its timings admission raises and admits nothing", "[service]") {
  const auto database = scratch_database();
  database.execute(
      "ALTER TABLE contract_timings DISABLE TRIGGER USER; DELETE FROM contract_timings");
  CHECK(failure_as(database, each_admission()) == "P0002");
}

struct Durable {
  const char* name;
  std::string call;
  const char* role;
};

TEST_CASE("what must survive a crash is committed durably, whatever the session said",
          "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1) + insert_grant(2) + insert_operation(3));
  database.execute("SELECT claim_idempotency_key('user-1', 'POST /credits', '" + operation_id(1) +
                   "', '\x01'); UPDATE idempotency_records SET claim_id = '" + operation_id(7) +
                   "'");
  const auto each = GENERATE(values<Durable>({
      {"admit_token_grant", admit_token(4), "reconciled_admission"},
      {"admit_row_grant", admit_row(1), "reconciled_admission"},
      {"revoke_row_grant", "SELECT revoke_row_grant('issuer-1', 'grant-2')",
       "reconciled_revocation"},
      {"revoke_token_grant", "SELECT revoke_token_grant('i', 'g', now())", "reconciled_revocation"},
      {"revoke_token_grant_without_expiry", "SELECT revoke_token_grant_without_expiry('i', 'g')",
       "reconciled_revocation"},
      {"record_outcome", record_outcome(3, "Unknown"), "reconciled_admission"},
      {"mark_executed", hold_key("mark_executed", 1, {{"claim_id", quoted(operation_id(7))}}),
       "reconciled_admission"},
  }));
  CAPTURE(each.name);
  Session session(database, kSuperuser, each.role);
  const auto commits_with = [&](const std::string& setting) {
    session.execute("SET synchronous_commit = " + setting);
    session.execute("BEGIN");
    session.execute(each.call);
    auto seen = answer_of(session.execute("SHOW synchronous_commit"));
    session.execute("ROLLBACK");
    CHECK(answer_of(session.execute("SHOW synchronous_commit")) == setting);
    return seen;
  };
  CHECK(commits_with("off") == "on");
  CHECK(commits_with("local") == "on");
  CHECK(commits_with("on") == "on");
  CHECK(commits_with("remote_write") == "remote_write");
  CHECK(commits_with("remote_apply") == "remote_apply");
}

TEST_CASE("a refused admission keeps its durability too", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"issuer", "'other'"}}));
  Session session(database, kSuperuser, "");
  session.execute("SET synchronous_commit = off; BEGIN");
  // The unique violation rolls a part of the function back, and must not take the setting along.
  CHECK(answer_of(session.execute(admit_token(1))) == "Refused - - operation-id-used");
  CHECK(answer_of(session.execute("SHOW synchronous_commit")) == "on");
}

/// A consumption row that must be kept until so many microseconds after the first of 2040.
std::string claim_at(const std::string& grant, int microseconds,
                     const std::string& operation = quoted(operation_id(1))) {
  return "INSERT INTO grant_consumptions VALUES ('issuer-1', '" + grant + "', " + operation +
         ", now(), timestamptz '2040-01-01 00:00+00' + " + std::to_string(microseconds) +
         " * interval '1 microsecond');";
}

TEST_CASE("G9 a claim below the cleanup mark raises RC001 and leaves nothing", "[service]") {
  const auto database = scratch_database();
  database.execute("UPDATE cleanup_mark SET cut_off = now() + interval '1 hour'");
  CHECK(failure_as(database, admit_token(1)) == "RC001");
  CHECK(database.query_value("SELECT count(*) FROM grant_consumptions") == "0");
  CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
  CHECK(answer_of(database, admit_token(1, {{"expires_at", "now() + interval '2 hours'"}})) ==
        "Admitted - - -");
}

TEST_CASE("G9 the mark counts for every inserter, to the microsecond", "[service]") {
  const auto database = scratch_database();
  database.execute("UPDATE cleanup_mark SET cut_off = '2040-01-01 00:00+00'");
  const auto* before = GENERATE("", "SET session_replication_role = replica;");
  CHECK(database.failure_of(before + claim_at("g", -1)) == "RC001");
  CHECK(database.failure_of(before + claim_at("g", 0)).empty());
  database.execute("DELETE FROM grant_consumptions");
  // A revocation claims nothing.
  CHECK(database.failure_of(before + claim_at("g", -1, "NULL")).empty());
}

TEST_CASE("G9 a claim that cannot read the mark as it is now raises RC001", "[service]") {
  const auto database = scratch_database();
  SECTION("outside Read Committed") {
    const auto* level = GENERATE("SERIALIZABLE", "REPEATABLE READ");
    CHECK(database.failure_of("BEGIN ISOLATION LEVEL " + std::string(level) + ";" +
                              claim_at("g", 0) + "COMMIT") == "RC001");
    CHECK(database
              .failure_of("BEGIN ISOLATION LEVEL " + std::string(level) +
                          "; INSERT INTO grant_consumptions VALUES ('i', 'g', NULL, now(), "
                          "now()); COMMIT")
              .empty());
  }
  SECTION("where there is no mark") {
    database.execute("ALTER TABLE cleanup_mark DISABLE TRIGGER USER; DELETE FROM cleanup_mark;");
    CHECK(failure_as(database, admit_token(1)) == "RC001");
  }
}

TEST_CASE("G9 the mark that a claim reads is the newest, not its own statement's", "[service]") {
  const auto database = scratch_database();
  const auto other = database.connect();
  pqxx::work earlier(*other);
  earlier.exec(claim_at("grant-1", 0));
  auto late = std::async(std::launch::async, [&] { return failure_as(database, admit_token(1)); });
  wait_for_lock_or(database, late);
  database.execute("UPDATE cleanup_mark SET cut_off = now() + interval '1 hour'");
  earlier.abort();
  CHECK(late.get() == "RC001");
  CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
}

TEST_CASE("G9 the mark rises and never falls", "[service]") {
  const auto database = scratch_database();
  CHECK(database.query_value("SELECT cut_off FROM cleanup_mark") == "-infinity");
  const auto* before = GENERATE("", "SET session_replication_role = replica;");
  const auto* role = GENERATE("postgres", "reconciled_owner", "reconciled_retention");
  const auto failure = [&](const std::string& sql) {
    return database.failure_of(before + ("SET ROLE " + std::string(role)) + ";" + sql);
  };
  CHECK(failure("UPDATE cleanup_mark SET cut_off = '2030-01-01 00:00:01+00'").empty());
  CHECK(failure("UPDATE cleanup_mark SET cut_off = cut_off").empty());
  CHECK(failure("UPDATE cleanup_mark SET cut_off = '2030-01-01 00:00:00+00'") == "RC005");
  CHECK(failure("UPDATE cleanup_mark SET cut_off = '-infinity'") == "RC005");
  CHECK(failure("UPDATE cleanup_mark SET cut_off = 'infinity'") == "23514");
  const bool is_retention = role == std::string("reconciled_retention");
  CHECK(failure("DELETE FROM cleanup_mark") == (is_retention ? "42501" : "RC005"));
  CHECK(failure("TRUNCATE cleanup_mark") == (is_retention ? "42501" : "RC005"));
}

}  // namespace
}  // namespace reconciled::test
