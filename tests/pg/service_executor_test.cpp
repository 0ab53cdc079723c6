// SPDX-License-Identifier: Apache-2.0
// What the original executor may still do, what it records, and what its caller is told. And
// revocation, which contends with admission.
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kToken = "'11111111-1111-4111-8111-111111111111'";
constexpr const char* kOtherToken = "'22222222-2222-4222-8222-222222222222'";

struct Submission {
  const char* what;
  Columns row;
  Columns asked;
  const char* answer;
};

TEST_CASE("may_submit is true for the owner alone and only while it lasts", "[service]") {
  const auto database = scratch_database();
  const auto each = GENERATE(values<Submission>({
      {"the original handler", {}, {}, "t"},
      {"its lease is over", {{"lease_until", "now() - interval '1 ms'"}}, {}, "f"},
      {"the window is over", {{"submit_by", "now() - interval '1 ms'"}}, {}, "f"},
      {"another version", {{"owner_version", "2"}}, {}, "f"},
      {"Unknown is nobody's without a token", {{"status", "'Unknown'"}}, {}, "f"},
      {"taken over", {{"owner_token", kToken}}, {}, "f"},
      {"Succeeded", {{"status", "'Succeeded'"}}, {}, "f"},
      {"the owner of an Admitted", {{"owner_token", kToken}}, {{"owner_token", kToken}}, "t"},
      {"the owner of an Unknown",
       {{"owner_token", kToken}, {"status", "'Unknown'"}},
       {{"owner_token", kToken}},
       "t"},
      {"an owner with another token",
       {{"owner_token", kToken}},
       {{"owner_token", kOtherToken}},
       "f"},
      {"an owner that gave it up", {}, {{"owner_token", kToken}}, "f"},
      {"an owner whose lease is over",
       {{"owner_token", kToken}, {"lease_until", "now() - interval '1 ms'"}},
       {{"owner_token", kToken}},
       "f"},
      {"an owner after the window",
       {{"owner_token", kToken}, {"submit_by", "now() - interval '1 ms'"}},
       {{"owner_token", kToken}},
       "f"},
      {"an owner of a NeedsReconciliation",
       {{"owner_token", kToken}, {"status", "'NeedsReconciliation'"}},
       {{"owner_token", kToken}},
       "f"},
      {"an unknown operation", {}, {{"operation_id", quoted(operation_id(2))}}, "f"},
      {"no operation", {}, {{"operation_id", "NULL"}}, "f"},
      {"no version", {}, {{"owner_version", "NULL"}}, "f"},
  }));
  CAPTURE(each.what);
  auto row = each.row;
  row.insert({{"lease_until", "now() + interval '5 minutes'"}});
  database.execute(insert_operation(1, row));
  CHECK(answer_of(database, may_submit(1, each.asked)) == each.answer);
  CHECK(answer_of(database, may_submit(1, each.asked), "reconciled_recovery") == each.answer);
}

std::string outcome_of(const Database& database, int n) {
  return database.query_value(
      "SELECT concat_ws(' ', status, owner_version, provider_reference) FROM operations WHERE "
      "operation_id = '" +
      operation_id(n) + "'");
}

TEST_CASE("G7 the executor's outcome and its evidence are one statement", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  const auto outcome = GENERATE(values<std::string>({"Succeeded", "Failed", "Unknown"}));
  Session session(database, kSuperuser, "reconciled_admission");
  session.execute("SET application_name = 'credits-7'");
  CHECK(answer_of(session.execute(
            record_outcome(1, outcome, {{"provider_reference", "'cr_1'"}}))) == "t");
  CHECK(outcome_of(database, 1) == outcome + " 1 cr_1");
  CHECK(answer_of(database.query(
            "SELECT operation_id, owner_version, owner_token, instance, step, finding, decision, "
            "reason, provider_reference, detail FROM recovery_evidence")) ==
        operation_id(1) + " 1 - credits-7 executor - " + outcome +
            " reported-by-executor cr_1 {\"login\": \"postgres\"}");
  // Once.
  CHECK(answer_of(session.execute(record_outcome(1, outcome))) == "f");
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "1");
}

TEST_CASE("G8 an executor's Unknown is looked at now, and keeps a reference it had", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(
      1, {{"lease_until", "now() + interval '5 minutes'"}, {"provider_reference", "'cr_0'"}}));
  CHECK(answer_of(database, record_outcome(1, "Unknown")) == "t");
  CHECK(database.query_value("SELECT lease_until <= clock_timestamp() AND owner_token IS NULL AND "
                             "provider_reference = 'cr_0' FROM operations") == "t");
}

TEST_CASE("G1 a late handler changes nothing", "[service]") {
  const auto database = scratch_database();
  const auto row = GENERATE(values<Columns>({{{"owner_version", "2"}},
                                             {{"owner_token", kToken}},
                                             {{"status", "'Unknown'"}},
                                             {{"status", "'Succeeded'"}},
                                             {{"status", "'Failed'"}},
                                             {{"status", "'NeedsReconciliation'"}}}));
  database.execute(insert_operation(1, row));
  const auto before = database.query_value("SELECT o::text FROM operations AS o");
  for (const auto* outcome : {"Succeeded", "Failed", "Unknown"}) {
    CHECK(answer_of(database, record_outcome(1, outcome, {{"provider_reference", "'cr_9'"}})) ==
          "f");
  }
  CHECK(database.query_value("SELECT o::text FROM operations AS o") == before);
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "0");
}

TEST_CASE("an outcome that no executor has is refused", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  for (const auto* outcome : {"NeedsReconciliation", "Admitted", "succeeded", ""}) {
    CHECK(failure_as(database, record_outcome(1, outcome)) == "22023");
  }
  CHECK(failure_as(database, record_outcome(1, "", {{"outcome", "NULL"}})) == "22004");
  CHECK(failure_as(database, record_outcome(1, "Unknown", {{"operation_id", "NULL"}})) == "22004");
  CHECK(failure_as(database, record_outcome(1, "Unknown", {{"owner_version", "NULL"}})) == "22004");
  CHECK(outcome_of(database, 1) == "Admitted 1");
}

TEST_CASE("only its caller is told an operation's status", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1, {{"status", "'Succeeded'"},
                                        {"provider_reference", "'cr_1'"},
                                        {"created_at", "'2030-01-01 00:00+00'"}}));
  const auto status = [&](const std::string& id, const std::string& caller) {
    return answer_of(
        database, call("operation_status", {{"operation_id", quoted(id)}, {"caller_id", caller}}));
  };
  CHECK(status(operation_id(1), "'caller-1'").substr(0, 26) == "Succeeded cr_1 2030-01-01 ");
  CHECK(status(operation_id(1), "'caller-2'") == "no row");
  CHECK(status(operation_id(1), "NULL") == "no row");
  CHECK(status(operation_id(2), "'caller-1'") == "no row");
}

std::string revoke(const Database& database, const std::string& function, int n,
                   const std::string& expires_at = "") {
  return answer_of(database,
                   call(function, {{"issuer", "'issuer-1'"},
                                   {"grant_id", quoted("grant-" + std::to_string(n))},
                                   {"expires_at", expires_at}}),
                   "reconciled_revocation");
}

TEST_CASE("a revocation says whether it was this call that revoked", "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1) + insert_grant(2));
  CHECK(revoke(database, "revoke_row_grant", 1) == "t");
  CHECK(revoke(database, "revoke_row_grant", 1) == "f");
  CHECK(revoke(database, "revoke_row_grant", 3) == "f");
  answer_of(database, admit_row(2));
  const auto before = database.query_value("SELECT string_agg(g::text, ' ') FROM grants AS g");
  CHECK(revoke(database, "revoke_row_grant", 2) == "f");
  CHECK(database.query_value("SELECT string_agg(g::text, ' ') FROM grants AS g") == before);
}

TEST_CASE("a token's revocation is kept until its expiry and the leeway", "[service]") {
  const auto database = scratch_database();
  CHECK(revoke(database, "revoke_token_grant", 1, "'2040-01-01 00:00+00'") == "t");
  CHECK(revoke(database, "revoke_token_grant", 1, "'2041-01-01 00:00+00'") == "f");
  CHECK(database.query_value("SELECT operation_id IS NULL AND retain_until = '2040-01-01 "
                             "00:00:30+00' FROM grant_consumptions") == "t");
  answer_of(database, admit_token(2));
  const auto before =
      database.query_value("SELECT string_agg(c::text, ' ') FROM grant_consumptions AS c");
  CHECK(revoke(database, "revoke_token_grant", 2, "'2040-01-01 00:00+00'") == "f");
  CHECK(revoke(database, "revoke_token_grant_without_expiry", 2) == "f");
  CHECK(database.query_value("SELECT string_agg(c::text, ' ') FROM grant_consumptions AS c") ==
        before);
}

TEST_CASE("a revocation without the expiry is kept for as long as a token can live", "[service]") {
  const auto database = scratch_database();
  database.execute(
      "UPDATE contract_timings SET maximum_grant_lifetime = '100 hours', "
      "issue_time_skew = '10 hours', admission_leeway = '1 hour'");
  CHECK(revoke(database, "revoke_token_grant_without_expiry", 1) == "t");
  // Both clocks are read within one statement.
  CHECK(database.query_value("SELECT date_trunc('hour', retain_until - consumed_at) = interval "
                             "'111 hours' FROM grant_consumptions") == "t");
  CHECK(answer_of(database, admit_token(1)) == "Refused - - revoked");
}

TEST_CASE("a revocation's arguments are not null, and its expiry is a time", "[service]") {
  const auto database = scratch_database();
  for (const auto* sql :
       {"SELECT revoke_token_grant(NULL, 'g', now())",
        "SELECT revoke_token_grant('i', NULL, now())", "SELECT revoke_token_grant('i', 'g', NULL)",
        "SELECT revoke_token_grant_without_expiry(NULL, 'g')",
        "SELECT revoke_token_grant_without_expiry('i', NULL)", "SELECT revoke_row_grant(NULL, 'g')",
        "SELECT revoke_row_grant('i', NULL)"}) {
    CAPTURE(sql);
    CHECK(failure_as(database, sql, "reconciled_revocation") == "22004");
  }
  for (const auto* sql : {"SELECT revoke_token_grant('i', 'g', 'infinity')",
                          "SELECT revoke_token_grant('i', 'g', '-infinity')"}) {
    CHECK(failure_as(database, sql, "reconciled_revocation") == "22023");
  }
  CHECK(database.query_value("SELECT count(*) FROM grant_consumptions") == "0");
}

}  // namespace
}  // namespace reconciled::test
