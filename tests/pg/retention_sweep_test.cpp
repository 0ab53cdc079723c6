// SPDX-License-Identifier: Apache-2.0
// The sweep on a real server: what goes, what stays, and in which order.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/held_backend.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

std::string count_of(const Database& database, const std::string& table) {
  return database.query_value("SELECT count(*) FROM " + table);
}

/// A consumption row without the mark's trigger in the way, kept until the expression's time.
void keep(const Database& database, const std::string& grant, const std::string& until,
          const std::string& operation = quoted(operation_id(1))) {
  database.execute("INSERT INTO grant_consumptions VALUES ('issuer-1', " + quoted(grant) + ", " +
                   operation + ", now(), " + until + ")");
}

TEST_CASE("G9 a sweep deletes what is older than the margin, and nothing else", "[sweep]") {
  const auto database = scratch_database();
  keep(database, "old", "now() - interval '11 minutes'");
  keep(database, "revoked", "now() - interval '11 minutes'", "NULL");
  keep(database, "young", "now() - interval '9 minutes'");
  keep(database, "valid", "now() + interval '9 minutes'");
  database.execute(insert_operation(1));
  SweepBench bench(database);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.texts == std::vector<std::string>{});
  CHECK(bench.events.last->consumptions == 2);
  CHECK(database.query_value("SELECT string_agg(grant_id, ' ' ORDER BY grant_id) FROM "
                             "grant_consumptions") == "valid young");
  CHECK(count_of(database, "operations") == "1");
  // The mark is what was announced.
  CHECK(database.query_value(
            "SELECT (extract(epoch FROM cut_off) * 1000000)::bigint FROM cleanup_mark") ==
        std::to_string(bench.events.last->cut_off->since_epoch.count()));
}

TEST_CASE("the cut-off is exact to the microsecond", "[sweep]") {
  const auto database = scratch_database();
  database.execute("INSERT INTO grant_consumptions SELECT 'issuer-1', n, '" + operation_id(1) +
                   "', now(), timestamptz '2026-01-02 03:04:05.000006Z' + n * interval '1 us' FROM "
                   "generate_series(-1, 1) AS n");
  SweepBench bench(database);
  Session clock(database, kSuperuser, "");
  const DatabaseTime until{Duration{
      std::stoll(answer_of(clock.execute("SELECT (extract(epoch FROM timestamptz '2026-01-02 "
                                         "03:04:05.000006Z') * 1000000)::bigint")))}};
  const auto mark = spawn(bench.loop, bench.store.raise_mark(until));
  test::until(bench.loop, [&] { return mark->ended(); });
  const auto deleted = spawn(bench.loop, bench.store.delete_consumptions(until, 10));
  test::until(bench.loop, [&] { return deleted->ended(); });
  CHECK(deleted->value->value() == 1);
  CHECK(database.query_value("SELECT string_agg(grant_id, ' ' ORDER BY grant_id) FROM "
                             "grant_consumptions") == "0 1");
}

/// The keys that stand before and after a batch of `at_most`.
std::string kept(const Database& database) {
  return database.query_value(
      "SELECT coalesce(string_agg(grant_id, ' ' ORDER BY retain_until), '') FROM "
      "grant_consumptions");
}

TEST_CASE("a batch takes the oldest first, and passes what somebody has locked", "[sweep]") {
  const auto database = scratch_database();
  for (const auto* n : {"3", "1", "2", "4"})
    keep(database, n, std::string("now() - interval '1 day' + ") + n + " * interval '1 hour'");
  SweepBench bench(database);
  Session holder(database, kSuperuser, "");
  holder.execute("BEGIN; SELECT FROM grant_consumptions WHERE grant_id = '2' FOR UPDATE");
  const auto now = DatabaseTime{Duration{
      std::stoll(database.query_value("SELECT (extract(epoch FROM now()) * 1000000)::bigint"))}};
  const auto mark = spawn(bench.loop, bench.store.raise_mark(now));
  test::until(bench.loop, [&] { return mark->ended(); });
  const auto batch = spawn(bench.loop, bench.store.delete_consumptions(now, 2));
  test::until(bench.loop, [&] { return batch->ended(); });
  CHECK(batch->value->value() == 2);
  CHECK(kept(database) == "2 4");
  CHECK(bench.sweep() == SweepEnd::finished);  // ends, although the row is there
  CHECK(kept(database) == "2");
  holder.execute("ROLLBACK");
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(kept(database).empty());
}

TEST_CASE("G9 the statement itself deletes nothing above the committed mark", "[sweep]") {
  const auto database = scratch_database();
  keep(database, "old", "now() - interval '1 day'");
  SweepBench bench(database);
  const auto batch =
      spawn(bench.loop, bench.store.delete_consumptions({Duration{4'000'000'000s}}, 9));
  test::until(bench.loop, [&] { return batch->ended(); });
  CHECK(batch->value->value() == 0);
  CHECK(kept(database) == "old");
}

TEST_CASE("a row of the fallback revocation stays as long as it says", "[sweep]") {
  const auto database = scratch_database();
  database.execute("GRANT reconciled_revocation TO service_login");
  REQUIRE(answer_of(database,
                    call("revoke_token_grant_without_expiry",
                         {{"issuer", "'issuer-1'"}, {"grant_id", "'unknown'"}}),
                    "reconciled_revocation") == "t");
  // now + maximum_grant_lifetime + issue_time_skew + admission_leeway.
  CHECK(database.query_value(
            "SELECT retain_until - now() BETWEEN interval '16 min' AND interval '16 min 30 s' FROM "
            "grant_consumptions") == "t");
  SweepBench bench(database);
  bench.sweep();
  CHECK(kept(database) == "unknown");
  database.execute(
      "UPDATE grant_consumptions SET retain_until = now() - interval '10 min' + "
      "interval '1 min'");
  bench.sweep();
  CHECK(kept(database) == "unknown");
  database.execute("UPDATE grant_consumptions SET retain_until = now() - interval '10 min'");
  bench.sweep();
  CHECK(kept(database).empty());
}

TEST_CASE("an operation's status plays no part, nor whether its row is still there", "[sweep]") {
  const auto database = scratch_database();
  const std::vector<std::string> statuses{"Admitted", "Unknown", "Succeeded", "Failed",
                                          "NeedsReconciliation"};
  int n = 0;
  for (const auto& status : statuses) {
    database.execute(insert_operation(++n, {{"status", quoted(status)}}));
    keep(database, status, "now() - interval '1 hour'", quoted(operation_id(n)));
  }
  keep(database, "archived", "now() - interval '1 hour'", quoted(operation_id(n + 1)));
  SweepBench bench(database);
  bench.sweep();
  CHECK(bench.events.consumptions == 6);
  CHECK(count_of(database, "operations") == "5");
}

TEST_CASE("two sweepers at once share the work, and each row goes once", "[sweep]") {
  const auto database = scratch_database();
  database.execute(insert_consumptions(2000, "1 day"));
  SweepBench one(database);
  SweepBench two(database);
  one.terms.batch = two.terms.batch = 50;
  one.start();
  two.start();
  auto first = spawn(one.loop, one.sweeper->sweep());
  auto second = spawn(two.loop, two.sweeper->sweep());
  const auto limit = SteadyClock::now() + kAmple;
  while (!(first->ended() && second->ended()) && SteadyClock::now() < limit) {
    for (auto* loop : {&one.loop, &two.loop}) {
      loop->restart();
      loop->poll();
    }
  }
  REQUIRE(first->value);
  REQUIRE(second->value);
  CHECK(one.events.texts.empty());
  CHECK(two.events.texts.empty());
  CHECK(one.events.consumptions + two.events.consumptions == 2000);
  CHECK(count_of(database, "grant_consumptions") == "0");
}

TEST_CASE("the mark never falls, whoever sweeps with an older cut-off", "[sweep]") {
  const auto database = scratch_database();
  SweepBench ahead(database);
  ahead.terms.timings.cleanup_margin = 1min;
  ahead.sweep();
  const auto mark = database.query_value("SELECT cut_off FROM cleanup_mark");
  SweepBench behind(database);
  behind.terms.timings.cleanup_margin = 1h;
  CHECK(behind.sweep() == SweepEnd::finished);
  CHECK(behind.events.texts.empty());
  CHECK(database.query_value("SELECT cut_off FROM cleanup_mark") == mark);
}

TEST_CASE("a batch is an index scan, whatever the statistics say", "[sweep]") {
  const auto database = scratch_database();
  database.execute(insert_consumptions(2000, "1 day"));
  database.execute(
      "INSERT INTO idempotency_records SELECT 'user-' || n, 'POST', gen_random_uuid(), "
      "'Processing', "
      "gen_random_uuid(), 'x', now(), now() - interval '1 day' FROM generate_series(1, 2000) AS n");
  const bool analyzed = GENERATE(false, true);
  if (analyzed) database.execute("ANALYZE grant_consumptions; ANALYZE idempotency_records");
  Session session(database, kSuperuser, "reconciled_retention");
  const auto generic = GENERATE("force_generic_plan", "force_custom_plan");
  session.execute(std::string("SET plan_cache_mode = ") + generic);
  const auto rows = session.explain(sql::statements::delete_consumptions,
                                    {std::string("4000000000000000"), std::string("100")});
  CAPTURE(analyzed, generic, rows);
  CHECK_THAT(rows, contains_text("Index Scan using grant_consumptions_by_retention"));
  CHECK_THAT(rows, !contains_text("Sort"));
  const auto records =
      session.explain(sql::statements::delete_idempotency_records, {std::string("100")});
  CAPTURE(records);
  CHECK_THAT(records, contains_text("Index Scan using idempotency_records_by_expiry"));
}

}  // namespace
}  // namespace reconciled::test
