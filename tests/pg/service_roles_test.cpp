// SPDX-License-Identifier: Apache-2.0
// Who may call and touch what of the service's side, and that a caller cannot make a function read
// something else.
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kRefused = "42501";

/// Every role that may execute a function of the contract, the owner aside; "-" for none.
std::string callers_of(const Database& database, const std::string& function) {
  return database.query_value(
      "SELECT coalesce(string_agg(rolname, ' ' ORDER BY rolname), '-') FROM pg_roles, pg_proc "
      "WHERE "
      "pronamespace = 'reconciled'::regnamespace AND proname = '" +
      function +
      "' AND (rolname LIKE 'reconciled%' OR rolname = 'pg_monitor') AND rolname <> "
      "'reconciled_owner' AND has_function_privilege(pg_roles.oid, pg_proc.oid, 'EXECUTE')");
}

TEST_CASE("each function is executed by the role that needs it and no other", "[service]") {
  const auto database = scratch_database();
  const std::map<std::string, std::string> wanted{
      {"admit_token_grant", "reconciled_admission"},
      {"admit_row_grant", "reconciled_admission"},
      {"may_submit", "reconciled_admission reconciled_recovery"},
      {"record_outcome", "reconciled_admission"},
      {"operation_status", "reconciled_admission"},
      {"claim_idempotency_key", "reconciled_admission"},
      {"read_idempotency_key", "reconciled_admission"},
      {"mark_executed", "reconciled_admission"},
      {"complete_idempotency_key", "reconciled_admission"},
      {"release_idempotency_key", "reconciled_admission"},
      {"revoke_token_grant", "reconciled_revocation"},
      {"revoke_token_grant_without_expiry", "reconciled_revocation"},
      {"revoke_row_grant", "reconciled_revocation"},
      // Parts of the others.
      {"commit_durably", "-"},
      {"guard_admission", "-"},
      {"restart_admitted", "-"},
      {"read_back_admission", "-"},
      {"refuse_claim_below_mark", "-"},
      {"refuse_lower_mark", "-"},
      {"trip_resubmission", "-"},
      {"refuse_unsafe_timings", "-"}};
  for (const auto& [function, callers] : wanted) {
    CAPTURE(function);
    CHECK(callers_of(database, function) == callers);
  }
  // And the schema holds no other.
  CHECK(database.query_value("SELECT count(*) FROM pg_proc WHERE pronamespace = "
                             "'reconciled'::regnamespace") == std::to_string(wanted.size()));
}

TEST_CASE("every function acts as the owner, on the contract's schema alone", "[service]") {
  const auto database = scratch_database();
  CHECK(database.query_value(
            "SELECT count(*) FROM pg_proc WHERE pronamespace = 'reconciled'::regnamespace AND NOT "
            "(prosecdef AND proowner = 'reconciled_owner'::regrole AND proconfig = "
            "ARRAY['search_path=reconciled, pg_temp'])") == "0");
}

TEST_CASE("in another schema the functions act on that one", "[service]") {
  const auto database = scratch_database();
  install_contract(database, "Other One");
  const auto session = database.connect();
  pqxx::nontransaction work(*session);
  work.exec("SET search_path = \"Other One\"; SET ROLE reconciled_admission");
  CHECK(answer_of(work.exec(admit_token(1))) == "Admitted - - -");
  CHECK(database.query_value("SELECT count(*) FROM \"Other One\".operations") == "1");
  CHECK(database.query_value("SELECT count(*) FROM reconciled.operations") == "0");
}

TEST_CASE("admission and revocation touch no table", "[service]") {
  const auto database = scratch_database();
  const auto* role = GENERATE("reconciled_admission", "reconciled_revocation");
  for (const auto& row :
       database.query("SELECT relname FROM pg_class WHERE relkind IN ('r', 'v', 'S') AND "
                      "relnamespace = 'reconciled'::regnamespace")) {
    const std::string table = row[0].c_str();
    CAPTURE(role, table);
    CHECK(database.query_value("SELECT relacl::text LIKE '%" + std::string(role) +
                               "%' OR relacl::text LIKE '%{=%' OR relacl::text LIKE '%,=%' FROM "
                               "pg_class WHERE oid = '" +
                               table + "'::regclass") != "t");
    CHECK(database.query_value("SELECT count(*) FROM pg_attribute WHERE attrelid = '" + table +
                               "'::regclass AND attacl::text LIKE '%" + role + "%'") == "0");
  }
  CHECK(failure_as(database, "SELECT FROM grants", role) == kRefused);
  CHECK(failure_as(database, "UPDATE cleanup_mark SET cut_off = now()", role) == kRefused);
}

TEST_CASE("only revocation revokes, and it does nothing else", "[service]") {
  const auto database = scratch_database();
  const auto* role = GENERATE("reconciled_admission", "reconciled_recovery", "reconciled_retention",
                              "reconciled_operator", "reconciled_reader");
  CHECK(failure_as(database, "SELECT revoke_row_grant('i', 'g')", role) == kRefused);
  CHECK(failure_as(database, "SELECT revoke_token_grant('i', 'g', now())", role) == kRefused);
  CHECK(failure_as(database, "SELECT revoke_token_grant_without_expiry('i', 'g')", role) ==
        kRefused);
  CHECK(failure_as(database, admit_token(1), "reconciled_revocation") == kRefused);
  CHECK(failure_as(database, record_outcome(1, "Failed"), "reconciled_recovery") == kRefused);
}

TEST_CASE("a caller's temporary tables are never read", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"lease_until", "now() + interval '5 minutes'"}}));
  Session session(database, kSuperuser, "");
  // Each is a trap: a lease that never ends, a mark that never rose, timings that allow all.
  session.execute(
      "CREATE TEMPORARY TABLE operations (LIKE reconciled.operations);"
      "CREATE TEMPORARY TABLE grants (LIKE reconciled.grants);"
      "CREATE TEMPORARY TABLE grant_consumptions (LIKE reconciled.grant_consumptions);"
      "CREATE TEMPORARY TABLE recovery_evidence (LIKE reconciled.recovery_evidence);"
      "CREATE TEMPORARY TABLE idempotency_records (LIKE reconciled.idempotency_records);"
      "CREATE TEMPORARY TABLE cleanup_mark AS SELECT true AS only_row, timestamptz '-infinity' AS "
      "cut_off;"
      "CREATE TEMPORARY TABLE contract_timings AS SELECT * FROM reconciled.contract_timings;"
      "UPDATE pg_temp.contract_timings SET admission_leeway = '1000 hours';"
      "INSERT INTO pg_temp.grants VALUES ('issuer-1', 'grant-2', now() + interval '1 hour');"
      "GRANT ALL ON ALL TABLES IN SCHEMA pg_temp TO PUBLIC;"
      "SET search_path = pg_temp, reconciled; SET ROLE reconciled_admission");
  CHECK(answer_of(session.execute(may_submit(1))) == "t");
  CHECK(answer_of(session.execute(admit_row(2))) == "Refused - - expired");
  CHECK(answer_of(session.execute(admit_token(3, {{"expires_at", "now() - interval '1 hour'"}}))) ==
        "Refused - - expired");
  CHECK(answer_of(session.execute(admit_token(4))) == "Admitted - - -");
  CHECK(answer_of(session.execute(record_outcome(1, "Succeeded"))) == "t");
  session.execute(claim_key(1));
  CHECK(answer_of(session.execute(claim_key(1))) == "InFlight - - - - -");
  database.execute("UPDATE cleanup_mark SET cut_off = now() + interval '1 hour'");
  CHECK_THROWS_AS(session.execute(admit_token(5)), pqxx::sql_error);
  for (const auto* table :
       {"operations", "grant_consumptions", "recovery_evidence", "idempotency_records"}) {
    CAPTURE(table);
    CHECK(answer_of(session.execute(std::string("SELECT count(*) FROM pg_temp.") + table)) == "0");
    CHECK(database.query_value(std::string("SELECT count(*) > 0 FROM ") + table) == "t");
  }
}

void fill(const Database& database) {
  answer_of(database, admit_token(1));
  answer_of(database, claim_key(1));
}

TEST_CASE("retention deletes and locks consumption and idempotency rows, and changes none",
          "[service]") {
  const auto database = scratch_database();
  fill(database);
  const auto* table = GENERATE("grant_consumptions", "idempotency_records");
  const auto* column = table == std::string("grant_consumptions") ? "retain_until" : "expires_at";
  const auto as_retention = [&](const std::string& sql) {
    return failure_as(database, sql, "reconciled_retention");
  };
  const std::string name = table;
  CHECK(as_retention("UPDATE " + name + " SET " + column + " = now()") == kRefused);
  CHECK(as_retention("UPDATE " + name + " SET " + column + " = " + column) == kRefused);
  CHECK(as_retention("INSERT INTO " + name + " DEFAULT VALUES") == kRefused);
  CHECK(as_retention("TRUNCATE " + name) == kRefused);
  Session session(database, kSuperuser, "reconciled_retention");
  CHECK(session
            .execute("WITH old AS (SELECT " + std::string(column) + " FROM " + name +
                     " FOR UPDATE SKIP LOCKED) DELETE FROM " + name + " USING old RETURNING 1")
            .size() == 1);
}

TEST_CASE("retention reads no stored response and touches nothing else", "[service]") {
  const auto database = scratch_database();
  fill(database);
  const auto as_retention = [&](const std::string& sql) {
    return failure_as(database, sql, "reconciled_retention");
  };
  CHECK(as_retention("SELECT response_body FROM idempotency_records") == kRefused);
  CHECK(as_retention("SELECT FROM operations") == kRefused);
  CHECK(as_retention("DELETE FROM operations") == kRefused);
  CHECK(as_retention("DELETE FROM grants") == kRefused);
  CHECK(as_retention("UPDATE cleanup_mark SET only_row = true") == kRefused);
  CHECK(as_retention("DELETE FROM idempotency_answers_lost") == kRefused);
  CHECK(as_retention("INSERT INTO idempotency_answers_lost (user_id, endpoint, idempotency_key, "
                     "claim_id, request_hash, claimed_at, expires_at) SELECT user_id, endpoint, "
                     "idempotency_key, claim_id, request_hash, claimed_at, expires_at FROM "
                     "idempotency_records")
            .empty());
  CHECK(as_retention("UPDATE cleanup_mark SET cut_off = now()").empty());
  CHECK(database.query_value("SELECT count(*) FROM idempotency_answers_lost WHERE removed_at <= "
                             "clock_timestamp()") == "1");
}

TEST_CASE("nobody but retention deletes a consumption row, and nobody raises the mark for it",
          "[service]") {
  const auto database = scratch_database();
  const auto* role = GENERATE("reconciled_admission", "reconciled_revocation",
                              "reconciled_recovery", "reconciled_operator", "reconciled_reader");
  CHECK(failure_as(database, "DELETE FROM grant_consumptions", role) == kRefused);
  CHECK(failure_as(database, "DELETE FROM idempotency_records", role) == kRefused);
  CHECK(failure_as(database, "UPDATE cleanup_mark SET cut_off = cut_off", role) == kRefused);
  // A person's verb turns it on; what trips it is a trigger.
  const auto* const switched = std::string_view(role) == "reconciled_operator" ? "" : kRefused;
  CHECK(failure_as(database, "UPDATE resubmission_switch SET enabled = true", role) == switched);
}

TEST_CASE("the switch for creating again is installed as on, and is one", "[service]") {
  const auto database = scratch_database();
  CHECK(database.query_value("SELECT enabled FROM resubmission_switch") == "t");
  CHECK(database.failure_of("INSERT INTO resubmission_switch DEFAULT VALUES") == "23505");
  CHECK(failure_as(database, "SELECT enabled FROM resubmission_switch", "reconciled_recovery")
            .empty());
}

}  // namespace
}  // namespace reconciled::test
