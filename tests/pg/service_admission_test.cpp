// SPDX-License-Identifier: Apache-2.0
// Admission as a service calls it: each outcome and detail, for both forms of grant, and what is
// left in the tables afterwards.
#include <chrono>
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAdmitted = "Admitted - - -";

/// Both forms of grant behind one face: a stored grant must be there before it is spent.
struct Form {
  const char* name;
  std::string (*admit)(int n, const Columns& changed);
  bool stored;

  void issue(const Database& database, int n, const Columns& changed = {}) const {
    if (stored) database.execute(insert_grant(n, changed));
  }
};

const std::vector<Form> kForms{{"token", admit_token, false}, {"row", admit_row, true}};

Form each_form() {
  const auto form = kForms[static_cast<std::size_t>(GENERATE(0, 1))];
  return form;
}

/// How much there is of what an admission leaves.
std::string left_in(const Database& database) {
  return database.query_value(
      "SELECT concat_ws(' ', (SELECT count(*) FROM operations), (SELECT count(*) FROM "
      "grant_consumptions), (SELECT count(*) FROM grants WHERE consumed_at IS NOT NULL))");
}

TEST_CASE("a grant is admitted once, and its operation is recorded", "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  CAPTURE(form.name);
  form.issue(database, 1);
  CHECK(answer_of(database, form.admit(1, {{"provider_context", "'{\"wallet\": 7}'"}})) ==
        kAdmitted);
  CHECK(database.query_value(
            "SELECT concat_ws(' ', operation_id = '" + operation_id(1) +
            "', issuer, grant_id, caller_id, account_id, amount, currency, status, owner_version, "
            "owner_token, provider_context, provider_reference) FROM operations") ==
        "t issuer-1 grant-1 caller-1 A-1 250.00 USD Admitted 1 {\"wallet\": 7}");
  // Lease and window count from one moment.
  CHECK(database.query_value(
            "SELECT (lease_until - created_at, submit_by - created_at) = (SELECT execution_lease, "
            "submission_window FROM contract_timings) AND now() - created_at < '1 minute' FROM "
            "operations") == "t");
  CHECK(left_in(database) == (form.stored ? "1 0 1" : "1 1 0"));
}

TEST_CASE("a token's row is kept until its expiry and the leeway", "[service]") {
  const auto database = scratch_database();
  answer_of(database, admit_token(1, {{"expires_at", "'2040-01-01 00:00+00'"}}));
  CHECK(database.query_value("SELECT operation_id = '" + operation_id(1) +
                             "' AND retain_until = '2040-01-01 00:00:30+00' FROM "
                             "grant_consumptions") == "t");
}

TEST_CASE("the same operation again is told that it is admitted, and what became of it",
          "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  CAPTURE(form.name);
  form.issue(database, 1);
  answer_of(database, form.admit(1, {}));
  CHECK(answer_of(database, form.admit(1, {})) == "AlreadyAdmittedForThisOperation Admitted - -");
  // The same amount, written differently.
  CHECK(answer_of(database, form.admit(1, {{"amount", "250"}})) ==
        "AlreadyAdmittedForThisOperation Admitted - -");
  answer_of(database, record_outcome(1, "Succeeded", {{"provider_reference", "'cr_1'"}}));
  CHECK(answer_of(database, form.admit(1, {})) ==
        "AlreadyAdmittedForThisOperation Succeeded cr_1 -");
  CHECK(left_in(database) == (form.stored ? "1 0 1" : "1 1 0"));
}

struct Again {
  const char* what;
  Columns changed;
  const char* detail;
};

TEST_CASE("whatever differs from the admitted operation is refused and reveals nothing",
          "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  const auto again = GENERATE(values<Again>({
      {"another operation", {{"operation_id", quoted(operation_id(9))}}, "consumed"},
      {"another caller", {{"caller_id", "'caller-2'"}}, "details-differ"},
      {"another account", {{"account_id", "'A-2'"}}, "details-differ"},
      {"another amount", {{"amount", "250.01"}}, "details-differ"},
      {"another currency", {{"currency", "'usd'"}}, "details-differ"},
      {"another grant", {{"grant_id", "'grant-2'"}}, "operation-id-used"},
      {"another issuer", {{"issuer", "'issuer-2'"}}, "operation-id-used"},
      {"another grant, spent for another operation",
       {{"grant_id", "'grant-3'"}},
       "operation-id-used"},
  }));
  CAPTURE(form.name, again.what);
  for (const int n : {1, 2, 3}) form.issue(database, n);
  form.issue(database, 1, {{"issuer", "'issuer-2'"}});
  answer_of(database, form.admit(1, {}));
  answer_of(database, form.admit(3, {}));
  const auto row = database.query_value("SELECT string_agg(o::text, ' ') FROM operations AS o");
  const auto left = left_in(database);
  CHECK(answer_of(database, form.admit(1, again.changed)) ==
        "Refused - - " + std::string(again.detail));
  CHECK(database.query_value("SELECT string_agg(o::text, ' ') FROM operations AS o") == row);
  // The other grant is not spent by a refusal.
  CHECK(left_in(database) == left);
}

TEST_CASE("a grant is good before its expiry and the leeway, and not from then on", "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  CAPTURE(form.name);
  const auto expires = [&](int n, const std::string& when) {
    form.issue(database, n, {{"expires_at", when}});
    return form.admit(n, form.stored ? Columns{} : Columns{{"expires_at", when}});
  };
  CHECK(answer_of(database, expires(1, "now() - interval '20 seconds'")) == kAdmitted);
  CHECK(answer_of(database, expires(2, "now() - interval '31 seconds'")) == "Refused - - expired");
  // Its own deadline refuses it, also for the operation that it was spent for.
  if (form.stored) {
    database.execute("UPDATE grants SET expires_at = now() - interval '31 seconds'");
  }
  const Columns late{{"expires_at", form.stored ? "" : "now() - interval '31 seconds'"}};
  CHECK(answer_of(database, form.admit(1, late)) == "Refused - - expired");
  CHECK(answer_of(database, call("operation_status", {{"operation_id", quoted(operation_id(1))},
                                                      {"caller_id", "'caller-1'"}}))
            .substr(0, 11) == "Admitted - ");
}

TEST_CASE("the deadline is compared with the beginning of the statement", "[service]") {
  const auto database = scratch_database();
  // To the microsecond: it is the same time in the arguments and inside.
  const std::string edge = "statement_timestamp() - interval '30 seconds'";
  CHECK(answer_of(database, admit_token(1, {{"expires_at", edge}})) == "Refused - - expired");
  CHECK(answer_of(database, admit_token(1, {{"expires_at", edge + " + interval '1 us'"}})) ==
        kAdmitted);
}

TEST_CASE("a stored grant that ends while the claim waits counts as the statement began",
          "[service]") {
  const auto database = scratch_database();
  database.execute(insert_grant(1) + "UPDATE contract_timings SET admission_leeway = '0 seconds'");
  const auto other = database.connect();
  pqxx::work earlier(*other);
  earlier.exec("SELECT FROM grants FOR UPDATE");
  auto late = std::async(std::launch::async, [&] { return answer_of(database, admit_row(1)); });
  wait_for_lock_or(database, late);
  const bool before_its_end = GENERATE(true, false);
  // query_start is the waiting statement's own statement_timestamp.
  earlier.exec("UPDATE grants SET expires_at = query_start" +
               std::string(before_its_end ? " + interval '1 us'" : "") +
               " FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = "
               "current_database()");
  earlier.commit();
  CHECK(late.get() == (before_its_end ? kAdmitted : "Refused - - expired"));
}

TEST_CASE("admission does not depend on how the database writes times", "[service]") {
  const auto database = scratch_database();
  const auto* intervals = GENERATE("sql_standard", "iso_8601");
  for (const std::string setting :
       {"DateStyle = 'German'", "TimeZone = 'Asia/Kathmandu'", "IntervalStyle = "}) {
    database.execute("ALTER DATABASE " + database.name() + " SET " + setting +
                     (setting.back() == ' ' ? intervals : ""));
  }
  const auto form = each_form();
  CAPTURE(form.name);
  form.issue(database, 1);
  database.execute("UPDATE cleanup_mark SET cut_off = now()");
  CHECK(answer_of(database, form.admit(1, {})) == kAdmitted);
  CHECK(answer_of(database, form.admit(1, {})) == "AlreadyAdmittedForThisOperation Admitted - -");
  CHECK(answer_of(database, form.admit(1, {{"operation_id", quoted(operation_id(2))}})) ==
        "Refused - - consumed");
  CHECK(database.query_value("SELECT lease_until - created_at = execution_lease FROM operations, "
                             "contract_timings") == "t");
}

TEST_CASE("a grant that was revoked is refused", "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  CAPTURE(form.name);
  form.issue(database, 1);
  const Columns grant{{"issuer", "'issuer-1'"}, {"grant_id", "'grant-1'"}};
  auto with_expiry = grant;
  with_expiry["expires_at"] = "now() + interval '10 minutes'";
  CHECK(answer_of(
            database,
            form.stored ? call("revoke_row_grant", grant) : call("revoke_token_grant", with_expiry),
            "reconciled_revocation") == "t");
  CHECK(answer_of(database, form.admit(1, {})) == "Refused - - revoked");
  CHECK(database.query_value("SELECT count(*) FROM operations") == "0");
}

TEST_CASE("a stored grant that is not there is refused", "[service]") {
  const auto database = scratch_database();
  CHECK(answer_of(database, admit_row(1)) == "Refused - - expired");
}

TEST_CASE("a token whose operation is in the table is refused, also without its row", "[service]") {
  const auto database = scratch_database();
  answer_of(database, admit_token(1));
  database.execute("DELETE FROM grant_consumptions");
  CHECK(answer_of(database, admit_token(1, {{"operation_id", quoted(operation_id(2))}})) ==
        "Refused - - consumed");
  CHECK(answer_of(database, admit_token(1)) == "Refused - - consumed");
  CHECK(left_in(database) == "1 0 0");
}

TEST_CASE("a lock wait eats neither lease nor window", "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  const bool for_the_grant = GENERATE(true, false);
  CAPTURE(form.name, for_the_grant);
  form.issue(database, 1);
  const auto other = database.connect();
  pqxx::work earlier(*other);
  if (for_the_grant) {
    form.stored ? earlier.exec("UPDATE grants SET revoked_at = now()")
                : earlier.exec(admit_token(1, {{"operation_id", quoted(operation_id(2))}}));
  } else {
    earlier.exec(insert_operation(1, {{"grant_id", "'another'"}}));
  }
  auto late =
      std::async(std::launch::async, [&] { return answer_of(database, form.admit(1, {})); });
  // Long enough that a time taken before the wait would lie before this moment.
  while (database.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                              "'Lock' AND datname = current_database() AND clock_timestamp() - "
                              "query_start > '200 ms'") != "1" &&
         late.wait_for(10ms) == std::future_status::timeout) {
  }
  const auto still_waiting = database.query_value("SELECT clock_timestamp()");
  earlier.abort();
  CHECK(late.get() == kAdmitted);
  CHECK(database.query_value("SELECT created_at >= '" + still_waiting +
                             "' AND lease_until = created_at + execution_lease AND submit_by = "
                             "created_at + submission_window FROM operations, contract_timings") ==
        "t");
}

TEST_CASE("a claim does not outlive the failure of its operation", "[service]") {
  const auto database = scratch_database();
  const auto form = each_form();
  CAPTURE(form.name);
  form.issue(database, 1);
  database.execute("CREATE UNIQUE INDEX one_account ON operations (account_id)");
  database.execute(insert_operation(5, {{"issuer", "'other'"}}));
  SECTION("a constraint of somebody else's surfaces") {
    CHECK(failure_as(database, form.admit(1, {})) == "23505");
  }
  SECTION("an impossible amount surfaces") {
    const auto* amount = GENERATE("0", "-1", "'NaN'", "'Infinity'");
    CHECK(failure_as(database, form.admit(1, {{"amount", amount}, {"account_id", "'A-9'"}})) ==
          "23514");
  }
  CHECK(left_in(database) == "1 0 0");
  CHECK(answer_of(database, form.admit(1, {{"account_id", "'A-9'"}})) == kAdmitted);
}

}  // namespace
}  // namespace reconciled::test
