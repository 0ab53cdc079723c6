// SPDX-License-Identifier: Apache-2.0
// Idempotency records: what goes, what stays, and the answers that are lost with it.
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

using Words = std::vector<std::string>;

/// The record of key `name`; its times are SQL intervals before now.
void record(const Database& database, const std::string& name, const std::string& state,
            const std::string& expired, const std::string& claimed = "1 day") {
  database.execute("INSERT INTO idempotency_records SELECT '" + name + "', 'POST /credits', '" +
                   operation_id(1) + "', '" + state +
                   "', gen_random_uuid(), 'hash', now() - interval '" + claimed +
                   "', now() - interval '" + expired + "'" +
                   (state == "Completed" ? ", 200, 'text/plain', 'done'" : ""));
}

std::string users(const Database& database, const std::string& table) {
  return database.query_value(
      "SELECT coalesce(string_agg(user_id, ' ' ORDER BY user_id), '') FROM " + table);
}

TEST_CASE("expired records go but for a Processing that is not stale", "[records]") {
  const auto database = scratch_database();
  record(database, "completed", "Completed", "1 s");
  record(database, "completed-valid", "Completed", "-1 hour");
  record(database, "executed", "Executed", "1 hour");
  record(database, "executed-valid", "Executed", "-1 hour");
  record(database, "processing-stale", "Processing", "1 s", "3 minutes");
  record(database, "processing-young", "Processing", "1 s", "1 minute");
  record(database, "processing-valid", "Processing", "-1 hour");
  SweepBench bench(database);
  bench.terms.idempotency_records = true;
  bench.terms.consumptions = GENERATE(true, false);
  bench.terms.batch = GENERATE(1, 100);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.texts == Words{});
  CHECK(bench.events.idempotency_records == 3);
  CHECK(users(database, "idempotency_records") ==
        "completed-valid executed-valid processing-valid processing-young");
  CHECK(bench.events.lost == Words{"executed POST /credits " + operation_id(1)});
  CHECK(users(database, "idempotency_answers_lost") == "executed");
  CHECK(database.query_value("SELECT request_hash = 'hash' AND removed_at <= clock_timestamp() AND "
                             "expires_at < removed_at FROM idempotency_answers_lost") == "t");
  CHECK((database.query_value("SELECT cut_off = '-infinity' FROM cleanup_mark") == "t") !=
        bench.terms.consumptions);
}

TEST_CASE("off by default: no record goes", "[records]") {
  const auto database = scratch_database();
  record(database, "completed", "Completed", "1 hour");
  SweepBench bench(database);
  bench.sweep();
  CHECK(users(database, "idempotency_records") == "completed");
}

TEST_CASE("a lost answer that cannot be written down keeps its record", "[records]") {
  const auto database = scratch_database();
  record(database, "executed", "Executed", "1 hour");
  database.execute(
      "REVOKE INSERT ON idempotency_answers_lost FROM reconciled_retention;"
      "REVOKE INSERT (user_id) ON idempotency_answers_lost FROM reconciled_retention");
  SweepBench bench(database);
  bench.terms.idempotency_records = true;
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK_THAT(bench.events.texts.at(0),
             contains_text("deleting idempotency records") && contains_text("[42501]"));
  CHECK(users(database, "idempotency_records") == "executed");
  CHECK(bench.events.lost == Words{});
}

TEST_CASE("a record that is claimed anew while the sweep waits is not deleted", "[records]") {
  const auto database = scratch_database();
  record(database, "completed", "Completed", "1 hour");
  SweepBench bench(database);
  bench.terms.idempotency_records = true;
  Session claimer(database, kSuperuser, "");
  claimer.execute(
      "BEGIN; UPDATE idempotency_records SET claim_id = gen_random_uuid(), state = "
      "'Processing', response_status = NULL, response_type = NULL, response_body = "
      "NULL, claimed_at = now(), expires_at = now() + interval '1 day'");
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.idempotency_records == 0);
  claimer.execute("COMMIT");
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(users(database, "idempotency_records") == "completed");
}

}  // namespace
}  // namespace reconciled::test
