// SPDX-License-Identifier: Apache-2.0
// recheck and resolve: compare-and-set on what the person saw, one row of evidence for each that
// was written, and none for one that was lost (design G1, G2, G7).
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kToken = "'11111111-1111-4111-8111-111111111111'";
constexpr const char* kMinute = "60000000";

struct Operator : Session {
  explicit Operator(const Database& database)
      : Session(database, kSuperuser, "reconciled_operator") {}

  std::size_t recheck(int n, const std::string& version) {
    return run(statements::recheck, {operation_id(n), version, "instance-1", "alice", std::nullopt})
        .size();
  }
};

Arguments resolution(int n, const std::string& version, const std::string& seen,
                     const std::string& as, const std::string& settle_us = "0") {
  return {operation_id(n),
          version,
          seen,
          as,
          "because",
          "cr_9",
          settle_us,
          "instance-1",
          "alice",
          std::nullopt,
          std::nullopt,
          std::nullopt,
          std::nullopt,
          R"({"asked": false})"};
}

std::string left_to_a_person(int n, const Columns& columns = {}) {
  Columns all{{"status", "'NeedsReconciliation'"},
              {"owner_version", "4"},
              {"submit_by", "now() - interval '1 hour'"}};
  for (const auto& [name, value] : columns) all[name] = value;
  return insert_operation(n, all);
}

std::string row(const Database& database) {
  return database.query_value(
      "SELECT concat_ws(' ', status, owner_version, coalesce(owner_token::text, 'free'), "
      "coalesce(provider_reference, '-')) FROM operations");
}

std::string evidence(const Database& database) {
  return database.query_value(
      "SELECT coalesce(string_agg(concat_ws(' ', step, coalesce(finding, '-'), decision, reason, "
      "owner_version, instance, detail ->> 'actor', detail ->> 'login', detail ->> 'from'), ', '), "
      "'none') FROM recovery_evidence");
}

/// Until a session waits for a lock; false if none ever does.
bool somebody_waits(const Database& database) {
  const auto limit = SteadyClock::now() + kAmple;
  while (SteadyClock::now() < limit) {
    if (database.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                             "'Lock'") != "0")
      return true;
  }
  return false;
}

TEST_CASE("recheck makes it Unknown and due, keeps the version, and says who did it", "[verbs]") {
  const auto database = scratch_database();
  database.execute(left_to_a_person(1, {{"lease_until", "now() + interval '1 day'"}}));
  Operator person(database);
  CHECK(person.recheck(1, "4") == 1);
  CHECK(row(database) == "Unknown 4 free -");
  CHECK(database.query_value("SELECT lease_until <= clock_timestamp() FROM operations") == "t");
  CHECK(evidence(database) ==
        "recheck - Unknown rechecked 4 instance-1 alice postgres NeedsReconciliation");
  // And recovery takes it over as any other.
  Session recovery(database);
  CHECK(recovery
            .run(statements::take_over, {"5", "33333333-3333-4333-8333-333333333333", kMinute,
                                         std::nullopt, std::nullopt})[0][1]
            .as<std::string>() == operation_id(1));
}

TEST_CASE("recheck does not shorten what the provider asked to wait before a create", "[verbs]") {
  const auto database = scratch_database();
  const auto* submit_by = GENERATE("now() + interval '1 day'", "now() + interval '10 minutes'",
                                   "now() - interval '1 minute'");
  database.execute(left_to_a_person(1, {{"submit_by", submit_by}}));
  for (const auto* wait : {"30 minutes", "5 minutes"})
    database.execute(insert_evidence(
        1, {{"step", "'create'"},
            {"detail",
             "jsonb_build_object('not_before', now() + interval '" + std::string(wait) + "')"}}));
  Operator person(database);
  const auto told =
      person.run(statements::recheck, {operation_id(1), "4", "instance-1", "alice", std::nullopt});
  REQUIRE(told.size() == 1);
  // After submit_by nobody creates, so that there is nothing to wait for.
  CHECK(database.query_value(
            "SELECT CASE WHEN submit_by < now() THEN lease_until <= clock_timestamp() ELSE "
            "lease_until = least(submit_by, (SELECT max((detail ->> 'not_before')::timestamptz) "
            "FROM recovery_evidence WHERE step = 'create')) END FROM operations") == "t");
  CHECK(told[0][1].as<bool>() == (std::string(submit_by).find('+') != std::string::npos));
}

TEST_CASE("G1 a verb that read an older row writes nothing and leaves no evidence", "[verbs]") {
  const auto database = scratch_database();
  Operator person(database);
  SECTION("recheck: another version") {
    database.execute(left_to_a_person(1, {{"owner_version", "5"}}));
  }
  SECTION("recheck: another status at the same version") {
    database.execute(left_to_a_person(
        1, {{"status", GENERATE("'Admitted'", "'Unknown'", "'Succeeded'", "'Failed'")}}));
  }
  const auto before = row(database);
  CHECK(person.recheck(1, "4") == 0);
  CHECK(row(database) == before);
  CHECK(evidence(database) == "none");
}

TEST_CASE("resolve records status, reference, actor and looks in one commit", "[verbs]") {
  const auto database = scratch_database();
  const auto* as = GENERATE("Succeeded", "Failed");
  const auto* seen = GENERATE("NeedsReconciliation", "Unknown");
  database.execute(left_to_a_person(1, {{"status", "'" + std::string(seen) + "'"}}));
  Operator person(database);
  auto arguments = resolution(1, "4", seen, as);
  arguments[9] = "found";
  arguments[10] = "200";
  arguments[11] = "2";
  arguments[12] = "1500";
  arguments[13] = R"({"last_look": {"evidence_id": 7}})";
  CHECK(person.run(statements::resolve, arguments).size() == 1);
  CHECK(row(database) == std::string(as) + " 4 free cr_9");
  CHECK(evidence(database) ==
        "resolution found " + std::string(as) + " because 4 instance-1 alice postgres " + seen);
  CHECK(database.query_value(
            "SELECT concat_ws(' ', provider_reference, http_status, pages, extract(epoch FROM "
            "duration), detail #>> '{last_look,evidence_id}') FROM recovery_evidence") ==
        "cr_9 200 2 0.001500 7");
  // A second try, as after a lost acknowledgement, writes nothing twice.
  CHECK(person.run(statements::resolve, arguments).empty());
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "1");
}

TEST_CASE("G2 resolve is refused for what is final, in flight, or not as it was seen", "[verbs]") {
  const auto database = scratch_database();
  const std::string owned = "clock_timestamp() + interval '1 minute'";
  struct Case {
    const char* what;
    Columns columns;
    const char* version = "4";
    const char* seen = "NeedsReconciliation";
  };
  const Case cases[] = {{"another version", {{"owner_version", "5"}}},
                        {"another status", {{"status", "'Unknown'"}}},
                        {"Admitted", {{"status", "'Admitted'"}}, "4", "Admitted"},
                        {"Succeeded", {{"status", "'Succeeded'"}}, "4", "Succeeded"},
                        {"Failed", {{"status", "'Failed'"}}, "4", "Failed"},
                        {"in flight",
                         {{"status", "'Unknown'"}, {"owner_token", kToken}, {"lease_until", owned}},
                         "4",
                         "Unknown"}};
  for (const auto& one : cases) {
    CAPTURE(one.what);
    database.execute("TRUNCATE operations; " + left_to_a_person(1, one.columns));
    const auto before = row(database);
    Operator person(database);
    CHECK(
        person.run(statements::resolve, resolution(1, one.version, one.seen, "Succeeded")).empty());
    CHECK(row(database) == before);
    CHECK(evidence(database) == "none");
  }
}

TEST_CASE("an owner whose lease is over does not keep a person away, and has lost", "[verbs]") {
  const auto database = scratch_database();
  database.execute(left_to_a_person(1, {{"status", "'Unknown'"}, {"owner_token", kToken}}));
  Operator person(database);
  CHECK(person.run(statements::resolve, resolution(1, "4", "Unknown", "Succeeded")).size() == 1);
  CHECK(row(database) == "Succeeded 4 free cr_9");
}

TEST_CASE("Failed waits for submit_by and the settle time, Succeeded does not", "[verbs]") {
  const auto database = scratch_database();
  Operator person(database);
  const auto resolve = [&](const char* as, const char* settle_us) {
    return person.run(statements::resolve, resolution(1, "4", "NeedsReconciliation", as, settle_us))
        .size();
  };
  database.execute(left_to_a_person(1, {{"submit_by", "now() + interval '1 minute'"}}));
  CHECK(resolve("Failed", "0") == 0);
  database.execute("UPDATE operations SET submit_by = now() - interval '30 seconds'");
  CHECK(resolve("Failed", kMinute) == 0);
  CHECK(evidence(database) == "none");
  database.execute("UPDATE operations SET submit_by = now() + interval '1 day'");
  CHECK(resolve("Succeeded", kMinute) == 1);
  database.execute("TRUNCATE operations; " + left_to_a_person(1));
  CHECK(resolve("Failed", kMinute) == 1);
}

TEST_CASE("G1 a person and a takeover at the same moment: the first one to commit wins",
          "[verbs]") {
  const auto database = scratch_database();
  database.execute(left_to_a_person(1, {{"status", "'Unknown'"}}));
  auto options = recovery_options(database.uri());
  options.session.role = "reconciled_operator";
  DatabaseBench bench(options);
  auto daemon = database.connect(kSuperuser);
  pqxx::work takeover(*daemon);
  takeover.exec(
      "UPDATE operations SET owner_version = 5, owner_token = gen_random_uuid(), "
      "lease_until = clock_timestamp() + interval '1 minute'");
  sql::Parameters list;
  for (const auto& argument : resolution(1, "4", "Unknown", "Succeeded")) {
    if (argument)
      list.add(*argument);
    else
      list.add_null();
  }
  const auto call = bench.begin(statements::resolve, std::move(list));
  bench.loop.poll();  // it is sent; its session has a thread of its own
  REQUIRE(somebody_waits(database));
  takeover.commit();
  const auto answer = bench.end(call);
  REQUIRE(answer.has_value());
  CHECK(answer->size() == 0);
  CHECK(database.query_value("SELECT status FROM operations") == "Unknown");
  CHECK(evidence(database) == "none");
}

TEST_CASE("an id that is not there is no row, and the nearest evidence is its own", "[verbs]") {
  const auto database = scratch_database();
  database.execute(left_to_a_person(1) + insert_evidence(1) +
                   insert_evidence(1, {{"decision", "'NeedsReconciliation'"},
                                       {"reason", "'absent-after-window'"}}) +
                   insert_evidence(1, {{"step", "'handback'"}, {"finding", "NULL"}}) +
                   insert_evidence(2));
  Operator person(database);
  CHECK(person.run(statements::read_operation, {operation_id(2)}).empty());
  const auto rows = person.run(statements::read_operation, {operation_id(1)});
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["evidence_id"].as<int>() == 2);
  CHECK(rows[0]["reason"].as<std::string>() == "absent-after-window");
  CHECK(rows[0]["owned"].as<std::string>() == "f");
  CHECK(rows[0]["looks_since_recheck"].as<int>() == 2);
}

}  // namespace
}  // namespace reconciled::test
