// SPDX-License-Identifier: Apache-2.0
// late_due and late_record: what is looked at late, whose turn it is, and one row of evidence a
// look.
#include "recovery/sql_late_store.hpp"
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kOurs = "11111111-1111-4111-8111-111111111111";
constexpr const char* kTheirs = "22222222-2222-4222-8222-222222222222";
constexpr const char* kMinute = "60000000";
constexpr const char* kHour = "3600000000";
constexpr const char* kDay = "86400000000";

/// Left to a person for a reason, so long ago.
std::string left(int n, const std::string& reason, const std::string& ago = "2 hours") {
  return insert_operation(n, {{"status", "'NeedsReconciliation'"}, {"owner_version", "3"}}) +
         insert_evidence(n, {{"decision", "'NeedsReconciliation'"},
                             {"reason", "'" + reason + "'"},
                             {"observed_at", "now() - interval '" + ago + "'"}});
}

std::string late(int n, const std::string& ago) {
  return insert_evidence(n, {{"step", "'late'"},
                             {"decision", "'none'"},
                             {"observed_at", "now() - interval '" + ago + "'"}});
}

pqxx::result due(Session& session, const char* holder = kOurs, const char* limit = "64") {
  return session.run(statements::late_due, {holder, kMinute, kHour, kDay, limit});
}

/// The last digits of what is due, and "-" for a row of nulls.
std::string ids(const pqxx::result& rows) {
  std::string text;
  for (const auto& row : rows)
    text +=
        (row["operation_id"].is_null() ? "-" : row["operation_id"].as<std::string>().substr(35)) +
        " ";
  return text;
}

Arguments entry(int n, const std::string& evidence_id, const char* holder = kOurs) {
  return {holder,   kMinute,  operation_id(n), "3",   evidence_id, "instance-1", "found",
          "credit", "proven", "cr_1",          "200", "1",         "1500",       std::nullopt};
}

std::string evidence(const Database& database) {
  return database.query_value(
      "SELECT coalesce(string_agg(concat_ws(' ', operation_id, finding, decision, reason, "
      "provider_reference, owner_version, coalesce(owner_token::text, 'free'), instance), ', '), "
      "'none') FROM recovery_evidence WHERE step = 'late'");
}

TEST_CASE("absence, no answer and failure at the provider are looked at late, nothing else",
          "[late_truth]") {
  const auto database = scratch_database();
  const char* reasons[] = {"absent-after-window", "no-answer",        "failed-at-provider",
                           "duplicate",           "mismatch",         "reversed",
                           "unrecognised-state",  "pending-too-long", "contradiction",
                           "incomplete",          "create-refused",   "unintelligible"};
  int n = 0;
  for (const auto* reason : reasons) {
    ++n;
    database.execute(left(n, reason, std::to_string(n + 1) + " hours"));
  }
  // Settled or sent back meanwhile: its evidence is still that of an absence.
  database.execute(left(13, "no-answer") + left(14, "no-answer") +
                   "UPDATE operations SET status = 'Succeeded' WHERE operation_id = '" +
                   operation_id(13) +
                   "'; UPDATE operations SET status = 'Unknown' WHERE "
                   "operation_id = '" +
                   operation_id(14) + "'");
  Session recovery(database);
  CHECK(ids(due(recovery)) == "3 2 1 ");
}

TEST_CASE("it is due when its newest evidence is old enough, and not for ever", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer", "3 hours") + late(1, "59 minutes") +
                   left(2, "no-answer", "3 hours") + late(2, "61 minutes") +
                   left(3, "no-answer", "25 hours") + left(4, "no-answer", "20 minutes"));
  Session recovery(database);
  const auto rows = due(recovery);
  CHECK(ids(rows) == "2 ");
  const auto wait = rows[0]["wait_us"].as<std::int64_t>();
  CHECK(wait > 0);
  CHECK(wait <= 60'000'000);
}

TEST_CASE("one daemon looks at a time, until its turn is over", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer") + left(2, "no-answer", "3 hours"));
  Session recovery(database);
  CHECK(ids(due(recovery, kOurs, "1")) == "2 ");
  const auto theirs = due(recovery, kTheirs);
  CHECK(ids(theirs) == "- ");
  const auto wait = theirs[0]["wait_us"].as<std::int64_t>();
  CHECK(wait > 0);
  CHECK(wait <= 60'000'000);
  CHECK(ids(due(recovery)) == "2 1 ");
  database.execute("UPDATE late_truth_turn SET until = now() - interval '1 second'");
  CHECK(ids(due(recovery, kTheirs)) == "2 1 ");
  CHECK(ids(due(recovery)) == "- ");
}

TEST_CASE("where nothing is due, no turn is taken and nothing is written", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer", "20 minutes"));
  Session recovery(database);
  CHECK(ids(due(recovery)) == "- ");
  CHECK(database.query_value("SELECT holder IS NULL AND until = '-infinity' FROM "
                             "late_truth_turn") == "t");
}

TEST_CASE("a late look is one row of evidence, and the operation stays as it is", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer"));
  Session recovery(database);
  const auto before = database.query_value("SELECT operations::text FROM operations");
  const auto rows = due(recovery);
  const auto seen = rows[0]["evidence_id"].as<std::string>();
  CHECK(recovery.run(statements::late_record, entry(1, seen)).size() == 1);
  CHECK(evidence(database) == operation_id(1) + " found credit proven cr_1 3 free instance-1");
  CHECK(database.query_value("SELECT operations::text FROM operations") == before);
  // The same once more, as by a daemon that was stopped meanwhile: it saw older evidence.
  CHECK(recovery.run(statements::late_record, entry(1, seen)).empty());
}

TEST_CASE("nothing is written by whose turn it is not, or of what has moved", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer"));
  Session recovery(database);
  const auto seen = due(recovery)[0]["evidence_id"].as<std::string>();
  const char* holder = kOurs;
  SECTION("another holder") { holder = kTheirs; }
  SECTION("another version") { database.execute("UPDATE operations SET owner_version = 4"); }
  SECTION("another status") { database.execute("UPDATE operations SET status = 'Unknown'"); }
  SECTION("newer evidence") { database.execute(insert_evidence(1)); }
  CHECK(recovery.run(statements::late_record, entry(1, seen, holder)).empty());
  CHECK(evidence(database) == "none");
}

TEST_CASE("two daemons that write of one look at the same moment leave one row", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "no-answer"));
  Session recovery(database);
  const auto seen = due(recovery)[0]["evidence_id"].as<std::string>();
  auto first = database.connect(kSuperuser);
  pqxx::work writing(*first);
  writing.exec("UPDATE late_truth_turn SET holder = '" + std::string(kTheirs) + "'; " +
               late(1, "0 seconds"));
  DatabaseBench bench(database.uri(kRecovery));
  sql::Parameters list;
  for (const auto& argument : entry(1, seen)) {
    if (argument)
      list.add(*argument);
    else
      list.add_null();
  }
  const auto call = bench.begin(statements::late_record, std::move(list));
  bench.loop.poll();
  const auto limit = SteadyClock::now() + kAmple;
  while (database.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                              "'Lock'") == "0")
    REQUIRE(SteadyClock::now() < limit);
  writing.commit();
  const auto answer = bench.end(call);
  REQUIRE(answer.has_value());
  CHECK(answer->size() == 0);
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence WHERE step = 'late'") == "1");
}

TEST_CASE("the store hands on what the statements say", "[late_truth]") {
  const auto database = scratch_database();
  database.execute(left(1, "absent-after-window"));
  DatabaseBench bench(database.uri(kRecovery));
  SqlLateStore store(*bench.database, "instance-1");
  const LateTurnRequest request{{*parse_uuid(kOurs)}, 1min, 1h, 24h, 64};
  const auto taken = spawn(bench.loop, store.take_turn(request));
  until(bench.loop, [&] { return taken->ended(); });
  const auto turn = taken->value.value().value();
  REQUIRE(turn.cases.size() == 1);
  CHECK(turn.cases[0].operation.account_id == "A-1");
  CHECK(turn.cases[0].owner_version.value == 3);
  LateEntry one;
  one.holder = request.holder;
  one.turn = 1min;
  one.seen = turn.cases[0];
  one.word.credit = true;
  one.word.verdict = {Decision::succeeded, Reason::proven, "cr_1"};
  one.finding = "found";
  one.pages = 1;
  const auto recorded = spawn(bench.loop, store.record(one));
  until(bench.loop, [&] { return recorded->ended(); });
  CHECK(recorded->value.value().value());
  CHECK(evidence(database) == operation_id(1) + " found credit proven cr_1 3 free instance-1");
}

TEST_CASE("what waits for a person is found by its index", "[late_truth]") {
  const auto database = scratch_database();
  Session recovery(database);
  recovery.execute("SET plan_cache_mode = force_generic_plan");
  const auto plan = recovery.explain(statements::late_due, {kOurs, kMinute, kHour, kDay, "64"});
  CAPTURE(plan);
  CHECK(plan.find("operations_needing_a_person") != std::string::npos);
}

}  // namespace
}  // namespace reconciled::test
