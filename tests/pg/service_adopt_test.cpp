// SPDX-License-Identifier: Apache-2.0
// A service's own table behind the contract: sql/adopt.sql, recovery over the view, and what the
// database refuses through it.
#include <fstream>

#include "sql/statements.hpp"
#include "tests/support/adopted.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pass_on_server.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kRefused = "42501";

std::string state_of(const Database& database, int n) {
  return database.query_value(
      "SELECT concat_ws(' ', state, version, receipt, note) FROM billing.credits WHERE credit_no = "
      "'" +
      operation_id(n) + "'");
}

const std::string kSafety = sql::statements::contract_safety.text;

TEST_CASE("recovery settles operations behind a view over the service's own table", "[adopt]") {
  const auto database = adopted_database();
  database.execute(insert_operation(1) + insert_operation(2));
  asio::io_context loop;
  Daemon daemon(loop, database.uri(kRecovery));
  daemon.provider->answer.then(absent);
  daemon.start();
  until(loop, [&] { return daemon.events.recorded_ids.size() == 2; });
  daemon.stop();
  std::multiset<std::string> states{state_of(database, 1), state_of(database, 2)};
  CHECK(states ==
        std::multiset<std::string>{"Succeeded 2 cr_1 not theirs", "Unknown 2 not theirs"});
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "2");
}

TEST_CASE("G2 G3 through the view recovery can neither write Failed nor move a final row",
          "[adopt]") {
  const auto database = adopted_database();
  database.execute(insert_operation(1));
  const auto as_recovery = [&](const std::string& sql) {
    return database.failure_of("SET ROLE reconciled_recovery; " + sql, kRecovery);
  };
  for (const auto* table : {"operations SET status", "billing.credits SET state"}) {
    CAPTURE(table);
    CHECK(as_recovery("UPDATE " + std::string(table) + " = 'Failed'") == kRefused);
  }
  CHECK(as_recovery("UPDATE operations SET amount = 1") == kRefused);
  CHECK(as_recovery("DELETE FROM operations") == kRefused);
  CHECK(as_recovery("SELECT note FROM billing.credits") == kRefused);
  CHECK(state_of(database, 1) == "Admitted 1 not theirs");
  for (const auto* final : {"Succeeded", "Failed", "NeedsReconciliation"}) {
    database.execute("UPDATE operations SET status = '" + std::string(final) + "'");
    CHECK(database
              .query("SET ROLE reconciled_recovery; UPDATE operations SET status = 'Unknown' "
                     "RETURNING 1",
                     kRecovery)
              .empty());
    CHECK(state_of(database, 1) == std::string(final) + " 1 not theirs");
  }
}

TEST_CASE("a person's verbs work through the view, and go no further", "[adopt]") {
  const auto database = adopted_database();
  const std::string over = "now() - interval '1 hour'";
  database.execute(insert_operation(1, {{"status", "'NeedsReconciliation'"}, {"submit_by", over}}) +
                   insert_operation(2, {{"status", "'Succeeded'"}}));
  Session person(database, kSuperuser, "reconciled_operator");
  CHECK(person.run(sql::statements::read_operation, {operation_id(1)}).size() == 1);
  CHECK(person
            .run(sql::statements::list_operations,
                 {"{NeedsReconciliation,Succeeded}", std::nullopt, std::nullopt, std::nullopt,
                  std::nullopt, std::nullopt, "9"})
            .size() == 2);
  CHECK(person.run(sql::statements::recheck, {operation_id(1), "1", "i", "alice", std::nullopt})
            .size() == 1);
  CHECK(state_of(database, 1) == "Unknown 1 not theirs");
  const auto resolve = [&](int n, const char* seen) {
    return person
        .run(sql::statements::resolve,
             {operation_id(n), "1", seen, "Failed", "because", std::nullopt, "0", "i", "alice",
              std::nullopt, std::nullopt, std::nullopt, std::nullopt, "{}"})
        .size();
  };
  CHECK(resolve(1, "Unknown") == 1);
  CHECK(resolve(2, "Succeeded") == 0);
  CHECK(state_of(database, 1) == "Failed 1 not theirs");
  for (const auto* sql :
       {"UPDATE operations SET amount = 1", "UPDATE operations SET owner_version = 9",
        "SELECT note FROM billing.credits", "DELETE FROM operations"})
    CHECK(failure_as(database, sql, "reconciled_operator") == kRefused);
  CHECK(failure_as(database, "UPDATE operations SET status = 'Failed'", "reconciled_operator")
            .empty());
  CHECK(state_of(database, 2) == "Succeeded 1 not theirs");
}

TEST_CASE("the service's functions work on the service's own tables", "[adopt]") {
  const auto database = adopted_database();
  CHECK(answer_of(database, admit_token(1)) == "Admitted - - -");
  CHECK(answer_of(database, admit_token(1)) == "AlreadyAdmittedForThisOperation Admitted - -");
  CHECK(answer_of(database, admit_token(1, {{"operation_id", quoted(operation_id(2))}})) ==
        "Refused - - consumed");
  CHECK(answer_of(database, may_submit(1)) == "t");
  CHECK(answer_of(database, record_outcome(1, "Succeeded", {{"provider_reference", "'cr_7'"}})) ==
        "t");
  CHECK(state_of(database, 1) == "Succeeded 1 cr_7 not theirs");
  const auto told = answer_of(
      database, call("operation_status",
                     {{"operation_id", quoted(operation_id(1))}, {"caller_id", "'caller-1'"}}));
  CHECK(told.substr(0, 15) == "Succeeded cr_7 ");
  CHECK(database.query_value("SELECT count(*) FROM billing.spent") == "1");
}

TEST_CASE("stored grants and revocation work next to the service's own tables", "[adopt]") {
  const auto database = adopted_database();
  database.execute(insert_grant(1));
  CHECK(answer_of(database, admit_row(1)) == "Admitted - - -");
  CHECK(answer_of(database, admit_row(1)) == "AlreadyAdmittedForThisOperation Admitted - -");
  CHECK(answer_of(database, "SELECT revoke_token_grant_without_expiry('issuer-1', 'grant-2')",
                  "reconciled_revocation") == "t");
  CHECK(answer_of(database, admit_token(2)) == "Refused - - revoked");
  CHECK(database.query_value("SELECT credit_no IS NULL FROM billing.spent") == "t");
}

TEST_CASE("G9 timings do not change while the service's own rows stand for them", "[adopt]") {
  const auto database = adopted_database();
  const std::string change = "UPDATE contract_timings SET admission_leeway = '1 minute'";
  answer_of(database, admit_token(1));
  CHECK(database.failure_of(change) == "RC006");
  database.execute("UPDATE billing.spent SET keep_until = '2020-01-01 00:00+00'");
  CHECK(database.failure_of(change).empty());
}

TEST_CASE("G9 the cleanup mark guards the service's own consumption table", "[adopt]") {
  const auto database = adopted_database();
  database.execute("UPDATE cleanup_mark SET cut_off = '2040-01-01 00:00+00'");
  const auto spend = [&](const std::string& operation, const std::string& keep_until) {
    return database.failure_of(
        "SET DateStyle = 'German'; SET TimeZone = 'Asia/Kathmandu'; SET "
        "session_replication_role = replica; INSERT INTO billing.spent "
        "VALUES ('i', gen_random_uuid()::text, " +
        operation + ", now(), '" + keep_until + "')");
  };
  CHECK(spend("gen_random_uuid()", "2039-12-31 23:59:59.999999+00") == "RC001");
  CHECK(spend("gen_random_uuid()", "2040-01-01 00:00+00").empty());
  CHECK(spend("NULL", "2039-12-31 23:59:59.999999+00").empty());
}

TEST_CASE("retention sweeps the service's own consumption table, and changes no row", "[adopt]") {
  const auto database = adopted_database();
  answer_of(database, admit_token(1));
  CHECK(failure_as(database, "UPDATE grant_consumptions SET retain_until = now()",
                   "reconciled_retention") == kRefused);
  CHECK(Session(database, kSuperuser, "reconciled_retention")
            .execute("DELETE FROM grant_consumptions WHERE (issuer, grant_id) IN (SELECT issuer, "
                     "grant_id FROM grant_consumptions FOR UPDATE SKIP LOCKED) RETURNING 1")
            .size() == 1);
}

TEST_CASE("the check at start tells an adopted view that has become a plain one", "[adopt]") {
  const auto database = adopted_database();
  CHECK(answer_of(database.query(kSafety, kReader)) == "t t t t t");
  database.execute("ALTER VIEW operations RESET (security_invoker)");
  CHECK(answer_of(database.query(kSafety, kReader)) == "t f t t t");
}

/// What adoption and installation could change, as one text.
constexpr const char* kShape = R"(
SELECT string_agg(line, E'\n' ORDER BY line) FROM (
  SELECT format('class %s %s %s', oid::regclass, relacl, relrowsecurity) AS line FROM pg_class
  WHERE relnamespace IN ('reconciled'::regnamespace, 'billing'::regnamespace)
  UNION ALL
  SELECT format('column %s %s %s', attrelid::regclass, attname, attacl) FROM pg_attribute
  WHERE attacl IS NOT NULL
  UNION ALL
  SELECT format('policy %s %s', oid, polname) FROM pg_policy
  UNION ALL
  SELECT format('trigger %s %s', oid, tgname) FROM pg_trigger) AS lines)";

TEST_CASE("adopting or installing again changes nothing and says nothing", "[adopt]") {
  const auto database = adopted_database();
  const auto shape = database.query_value(kShape);
  CHECK(adopt(database).output.empty());
  CHECK(database.query_value(kShape) == shape);
  CHECK(install_contract(database).empty());
  CHECK(database.query_value(kShape) == shape);
}

TEST_CASE("due work is found by the index that adoption made", "[adopt]") {
  const auto database = adopted_database();
  CHECK(
      database.query_value("SELECT string_agg(indexdef, E'\\n' ORDER BY indexname) FROM "
                           "pg_indexes WHERE indexname LIKE 'credits\\_%\\_%e%' AND indexdef LIKE "
                           "'%WHERE%'") ==
      "CREATE INDEX credits_needing_a_person ON billing.credits USING btree (made_at) WHERE "
      "((state)::text = 'NeedsReconciliation'::text)\n"
      "CREATE INDEX credits_unresolved_by_lease ON billing.credits USING btree (locked_until) "
      "WHERE ((state)::text = ANY ((ARRAY['Admitted'::character varying, 'Unknown'::character "
      "varying])::text[]))");
  Session session(database);
  session.execute("SET enable_seqscan = off");
  CHECK_THAT(session.explain(sql::statements::next_due, {"1000000"}),
             contains_text("credits_unresolved_by_lease"));
}

TEST_CASE("row security that the service had stays as it was", "[adopt]") {
  const auto database = scratch_database();
  database.execute(kServiceTables);
  database.execute(
      "ALTER TABLE billing.credits ENABLE ROW LEVEL SECURITY;"
      "CREATE POLICY own ON billing.credits TO service_login USING (customer = 'me') WITH CHECK "
      "(customer = 'me');"
      "GRANT USAGE ON SCHEMA billing TO service_login;"
      "GRANT SELECT ON billing.credits TO service_login");
  CHECK(adopt(database).exit_code == 0);
  database.execute(insert_operation(1) + insert_operation(2, {{"caller_id", "'me'"}}));
  CHECK(database.query_value("SELECT count(*) FROM billing.credits", kService) == "1");
  CHECK(database.query_value("SET ROLE reconciled_recovery; SELECT count(*) FROM operations",
                             kRecovery) == "2");
}

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  text.replace(text.find(part), part.size(), by);
  return text;
}

TEST_CASE("an unsafe adoption is refused and changes nothing", "[adopt]") {
  const auto database = scratch_database();
  std::string tables = kServiceTables;
  std::string view = kView;
  std::string said;
  SECTION("a plain view") {
    view = replaced(view, "WITH (security_invoker = true)", "");
    said = "acts as its owner";
  }
  SECTION("an id that is unique per tenant only") {
    tables = replaced(tables, "credit_no uuid PRIMARY KEY", "credit_no uuid, tenant int");
    tables = replaced(tables, "UNIQUE (iss, grant_no)", "UNIQUE (tenant, credit_no)");
    said = "no unique index";
  }
  SECTION("a view that lacks a column") {
    view = replaced(view, "facts AS provider_context,", "");
    said = "provider_context (jsonb)";
  }
  SECTION("a view with a column of another type") {
    view = replaced(view, "value AS amount", "value::float8 AS amount");
    said = "amount (numeric)";
  }
  SECTION("a view with an expression where recovery writes") {
    view = replaced(view, "state AS status", "upper(state) AS status");
    said = "cannot be updated: status";
  }
  SECTION("a view of something else") {
    database.execute("CREATE TABLE other AS SELECT * FROM operations");
    view = "CREATE VIEW operations WITH (security_invoker) AS SELECT * FROM other";
    said = "does not read billing.credits";
  }
  SECTION("no view") {
    view = "SELECT 1 WHERE false";
    said = "did not create a view";
  }
  SECTION("an installed table that is in use") {
    database.execute(insert_operation(1));
    said = "holds operations";
  }
  database.execute(tables);
  const auto shape = database.query_value(kShape);
  const auto refused = adopt(database, view);
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.output, contains_text(said));
  CHECK(database.query_value(kShape) == shape);
}

TEST_CASE("a consumption table without the columns that were named is refused", "[adopt]") {
  const auto database = scratch_database();
  database.execute(kServiceTables);
  const auto refused = adopt(database, kView, {"retain_until"});
  CHECK(refused.exit_code == 3);
  CHECK_THAT(refused.output, contains_text("must have columns retain_until"));
}

TEST_CASE("the service's operations alone can be adopted", "[adopt]") {
  const auto database = scratch_database();
  database.execute(kServiceTables);
  CHECK(adopt(database, kView, {"consumptions"}).exit_code == 0);
  CHECK(answer_of(database, admit_token(1)) == "Admitted - - -");
  CHECK(database.query_value("SELECT count(*) FROM billing.spent") == "0");
}

}  // namespace
}  // namespace reconciled::test
