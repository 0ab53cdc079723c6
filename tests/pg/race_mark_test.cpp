// SPDX-License-Identifier: Apache-2.0
// G9 with a claim that is held while its grant's row is swept, in every way that a backend can be
// held. The same schedule without the mark's trigger spends the grant twice: each test shows it.
//
// The sweep is what retention may do, in plain SQL, with a cut-off above the row: as if the hold
// had lasted longer than the deadline, the leeway and the margin.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/held_backend.hpp"
#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kRaiseMark = "UPDATE cleanup_mark SET cut_off = now() + interval '1 hour'";
constexpr const char* kDelete =
    "DELETE FROM grant_consumptions WHERE retain_until < now() + interval '1 hour'";

/// The second use of grant 1, for another operation.
struct Claimant {
  const char* name;
  std::string sql;
  const char* user;
  const char* role;
  const char* claimed;  ///< what it says when the grant is its own
};

/// A service with SQL of its own: the claim and the operation in one statement.
std::string direct_claim() {
  return "WITH claim AS (INSERT INTO grant_consumptions (issuer, grant_id, operation_id, "
         "consumed_at, retain_until) VALUES ('issuer-1', 'grant-1', '" +
         operation_id(2) +
         "', clock_timestamp(), now() + interval '10 minutes') ON CONFLICT DO NOTHING RETURNING *) "
         "INSERT INTO operations (operation_id, issuer, grant_id, caller_id, account_id, amount, "
         "currency, status, lease_until, submit_by, created_at) SELECT operation_id, issuer, "
         "grant_id, 'caller-1', 'A-1', 250, 'USD', 'Admitted', now(), now(), now() FROM claim "
         "RETURNING status";
}

Claimant each_claimant() {
  const std::vector<Claimant> claimants{
      {"admit_token_grant", admit_token(1, {{"operation_id", quoted(operation_id(2))}}), kSuperuser,
       "reconciled_admission", "Admitted - - -"},
      {"a direct inserter", direct_claim(), kService, "", "Admitted"},
  };
  return claimants[GENERATE(0U, 1U)];
}

/// Grant 1 is spent, and its operation is in an archive.
struct Spent {
  explicit Spent(bool with_trigger) : has_trigger(with_trigger) {
    database.execute("GRANT SELECT, INSERT ON grant_consumptions TO service_login");
    REQUIRE(answer_of(database, admit_token(1)) == "Admitted - - -");
    database.execute("CREATE TABLE archive AS TABLE operations; DELETE FROM operations");
    if (!has_trigger) {
      database.execute("DROP TRIGGER grant_consumptions_above_mark ON grant_consumptions");
    }
  }

  void check(const Claimant& claimant, const std::string& outcome) const {
    CAPTURE(claimant.name, has_trigger);
    const auto left = database.query_value(
        "SELECT concat_ws(' ', (SELECT count(*) FROM grant_consumptions), (SELECT count(*) FROM "
        "operations), (SELECT count(*) FROM archive))");
    CHECK(outcome == (has_trigger ? "RC001" : claimant.claimed));
    CHECK(left == (has_trigger ? "0 0 1" : "1 1 1"));
  }

  Database database = scratch_database();
  bool has_trigger;
};

TEST_CASE("G9 a claim held by a table lock before the unique key leaves nothing", "[mark]") {
  const Spent spent(GENERATE(true, false));
  const auto claimant = each_claimant();
  Session holder(spent.database, kSuperuser, "");
  Session sweep(spent.database, kSuperuser, "reconciled_retention");
  holder.execute(kHoldBeforeTheKey);
  HeldBackend held(spent.database, claimant.sql, claimant.user, claimant.role);
  CHECK(held.waits_for() == "operations RowExclusiveLock");
  CHECK_FALSE(held.has_written());
  sweep.execute(kRaiseMark);
  sweep.execute(kDelete);
  holder.execute("COMMIT");
  spent.check(claimant, held.end());
}

TEST_CASE("G9 a claim that waits for the sweep's own delete leaves nothing", "[mark]") {
  const Spent spent(GENERATE(true, false));
  const auto claimant = each_claimant();
  Session sweep(spent.database, kSuperuser, "reconciled_retention");
  sweep.execute(kRaiseMark);
  sweep.execute("BEGIN");
  sweep.execute(kDelete);
  HeldBackend held(spent.database, claimant.sql, claimant.user, claimant.role);
  CHECK(held.waits_for() == "transactionid ShareLock");
  sweep.execute("COMMIT");
  spent.check(claimant, held.end());
}

TEST_CASE("G9 a claim whose statement came before its transaction began leaves nothing", "[mark]") {
  const Spent spent(GENERATE(true, false));
  const auto claimant = each_claimant();
  Session holder(spent.database, kSuperuser, "");
  Session sweep(spent.database, kSuperuser, "reconciled_retention");
  holder.execute(kCloseTheGate);
  HeldBackend held(spent.database, after_the_gate(claimant.sql), claimant.user, claimant.role);
  CHECK(held.waits_for() == "advisory ExclusiveLock");
  sweep.execute(kRaiseMark);
  sweep.execute(kDelete);
  holder.execute("COMMIT");
  spent.check(claimant, held.end());
}

TEST_CASE("G9 a claim that waits for a delete which is rolled back is refused, and the row stays",
          "[mark]") {
  const Spent spent(true);
  const auto claimant = each_claimant();
  Session sweep(spent.database, kSuperuser, "reconciled_retention");
  sweep.execute(kRaiseMark);
  sweep.execute("BEGIN");
  sweep.execute(kDelete);
  HeldBackend held(spent.database, claimant.sql, claimant.user, claimant.role);
  CHECK(held.waits_for() == "transactionid ShareLock");
  sweep.execute("ROLLBACK");
  const auto outcome = held.end();
  CHECK((outcome == "Refused - - consumed" || outcome == "no row"));
  CHECK(spent.database.query_value("SELECT operation_id FROM grant_consumptions") ==
        operation_id(1));
  CHECK(spent.database.query_value("SELECT count(*) FROM operations") == "0");
}

TEST_CASE("G9 a revocation outlives the sweeps until retain_until and the margin are past",
          "[mark]") {
  const auto database = scratch_database();
  // Kept for the leeway of 30 seconds; the margin is ten minutes.
  const auto revoke = [&](const char* grant, const char* expires_at) {
    return answer_of(
        database,
        call("revoke_token_grant",
             {{"issuer", "'issuer-1'"}, {"grant_id", quoted(grant)}, {"expires_at", expires_at}}),
        "reconciled_revocation");
  };
  REQUIRE(revoke("grant-1", "now() - interval '9 minutes'") == "t");
  REQUIRE(revoke("grant-2", "now() - interval '11 minutes'") == "t");
  Session sweep(database, kSuperuser, "reconciled_retention");
  const auto cut_off = database.query_value(
      "SELECT (extract(epoch FROM now() - cleanup_margin) * 1000000)::bigint FROM "
      "contract_timings");
  sweep.run(sql::statements::raise_mark, {cut_off});
  CHECK(answer_of(sweep.run(sql::statements::delete_consumptions, {cut_off, "1000"})) == "1");
  CHECK(database.query_value("SELECT string_agg(grant_id, ' ') FROM grant_consumptions") ==
        "grant-1");
  // The other is past its own deadline.
  CHECK(answer_of(database, admit_token(2, {{"expires_at", "now() - interval '11 minutes'"}})) ==
        "Refused - - expired");
}

}  // namespace
}  // namespace reconciled::test
