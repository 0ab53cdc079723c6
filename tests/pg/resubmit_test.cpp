// SPDX-License-Identifier: Apache-2.0
// Creating again, end to end: what the provider's ledger and the evidence say afterwards (design
// §6, G6).
#include "tests/support/resubmit_bench.hpp"

namespace reconciled::test {
namespace {

constexpr char kSent[] = "eligibility Allowed no hold, create Sending allowed, ";

TEST_CASE("G6 an operation that never reached the provider is created once under its key",
          "[resubmit]") {
  ResubmitBench bench;
  bench.look();
  CHECK(bench.status() == "Succeeded cr_1");
  CHECK(bench.timeline() == std::string(kSent) + "create found Succeeded proven");
  CHECK(bench.posts() == 1);
  const auto sent = bench.provider.requests().back();
  CHECK(sent.key == operation_id(1));
  CHECK(sent.body == R"({"account":"A-1","amount":"250.00","currency":"USD"})");
  CHECK(bench.daemon->events.resubmissions.size() == 1);
}

TEST_CASE("G6 without the switch in the settings nothing is asked and nothing is sent",
          "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->terms.resubmission = nullptr;
  bench.look();
  CHECK(bench.timeline() == "lookup absent Unknown absent-so-far");
  CHECK(bench.asked() == "0");
  CHECK(bench.posts() == 0);
}

TEST_CASE("a hold placed between two passes stops the create, and the earlier decision stays",
          "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 503, .headers = {{"Retry-After", "1"}}}});
  bench.provider.forget_credits(operation_id(1));
  bench.look();
  bench.provider.forget_credits(operation_id(1));  // not processed means not processed
  const auto first = bench.database.query_value(
      "SELECT recovery_evidence::text FROM recovery_evidence ORDER BY evidence_id LIMIT 1");
  bench.fact("Denied");
  bench.database.execute("UPDATE recovery_evidence SET detail = detail - 'not_before'");
  bench.look();
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.timeline() == std::string(kSent) +
                                "create throttled Unknown not-processed, "
                                "eligibility Denied a hold, "
                                "lookup absent Unknown absent-so-far, "
                                "lookup absent Unknown absent-so-far");
  CHECK(bench.database.query_value(
            "SELECT recovery_evidence::text FROM recovery_evidence ORDER BY evidence_id LIMIT 1") ==
        first);
  CHECK(bench.asked() == "2");
}

TEST_CASE("a create whose answer was lost is looked up and never sent again blind", "[resubmit]") {
  ResubmitBench bench;
  const auto how = GENERATE(Cut::before_answer, Cut::mid_headers, Cut::mid_body, Cut::close);
  bench.provider.then("", {{}, {.cut = how}});
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Unknown");
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
  CHECK(bench.timeline() == std::string(kSent) +
                                "create no-answer Unknown no-answer, "
                                "lookup found Succeeded proven");
}

TEST_CASE("a create that the provider never answers ends in time and is found", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->attempt.create_timeout = 300ms;
  bench.daemon->prepare();
  bench.provider.then("", {{}, {.cut = Cut::never}});
  bench.look();
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("a create on a connection of its own is sent once, whatever becomes of a warm one",
          "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.cut = Cut::close}});
  bench.look();
  CHECK(bench.posts() == 1);
  const auto requests = bench.provider.requests();
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].method == "GET");
  CHECK(requests[0].connection != requests[1].connection);
  // Neither the create's connection nor a third one serves the next lookup: the warm one does.
  bench.look();
  CHECK(bench.provider.requests().back().connection == requests[0].connection);
}

TEST_CASE("an unclear create and an absence within the settle time lead to no second create",
          "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->profile.guarantees.processing_time = 10min;
  bench.daemon->prepare();
  bench.provider.then("", {{}, {.cut = Cut::close}});
  bench.look();
  bench.provider.forget_credits(operation_id(1));  // not visible yet
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.database.query_value("SELECT detail ->> 'create' FROM recovery_evidence ORDER BY "
                                   "evidence_id DESC LIMIT 1") == "settling");
  // Once it is over, the same key with the same bytes, after a decision of its own.
  bench.database.execute(
      "UPDATE recovery_evidence SET observed_at = observed_at - interval '11 minutes'");
  bench.look();
  CHECK(bench.posts() == 2);
  CHECK(bench.asked() == "2");
  CHECK(bench.status() == "Succeeded cr_2");
}

TEST_CASE("no decision is no permission: nothing is sent, and it is looked at again",
          "[resubmit]") {
  struct Row {
    const char* name;
    std::function<void(ResubmitBench&)> set_up;
    const char* evidence;
  };
  const Row rows[] = {
      {"it cannot tell", [](auto& b) { b.fact("CannotDetermine", "later"); },
       "eligibility CannotDetermine later"},
      {"a word of its own", [](auto& b) { b.fact("allowed", "typo"); },
       "eligibility CannotDetermine typo"},
      {"it raises", [](auto& b) { b.fact("raise"); }, "eligibility CannotDetermine error"},
      {"it is gone", [](auto& b) { b.database.execute("DROP FUNCTION public.may_create"); },
       "eligibility CannotDetermine error"},
      {"it may not be called",
       [](auto& b) { b.database.execute("REVOKE ALL ON FUNCTION public.may_create FROM PUBLIC"); },
       "eligibility CannotDetermine error"},
      {"no row",
       [](auto& b) {
         b.database.execute(
             "CREATE OR REPLACE FUNCTION public.may_create(operation uuid) RETURNS "
             "TABLE (outcome text, decision_id text, reason text) LANGUAGE sql AS "
             "$$ SELECT 'Allowed', 'd', 'r' WHERE false $$");
       },
       "eligibility CannotDetermine 0 rows"},
      {"two rows",
       [](auto& b) {
         b.database.execute(
             "CREATE OR REPLACE FUNCTION public.may_create(operation uuid) RETURNS "
             "TABLE (outcome text, decision_id text, reason text) LANGUAGE sql AS "
             "$$ VALUES ('Allowed', 'd', 'r'), ('Denied', 'e', 's') $$");
       },
       "eligibility CannotDetermine 2 rows"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    ResubmitBench bench;
    row.set_up(bench);
    bench.look();
    CHECK(bench.posts() == 0);
    CHECK(bench.timeline() == std::string(row.evidence) + ", lookup absent Unknown absent-so-far");
    CHECK(bench.database.query_value("SELECT lease_until > now() FROM operations") == "t");
  }
}

TEST_CASE("what cannot be decided now is decided at the next look", "[resubmit]") {
  ResubmitBench bench;
  bench.fact("CannotDetermine", "ledger is down");
  bench.look();
  bench.no_facts();
  bench.provider.then("", {{}, {.cut = Cut::before_answer}});
  bench.look();
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.timeline() ==
        "eligibility CannotDetermine ledger is down, lookup absent Unknown absent-so-far, " +
            std::string(kSent) +
            "create no-answer Unknown no-answer, lookup found Succeeded proven");
}

TEST_CASE("a documented refusal is for a person, and never Failed", "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 422}});
  bench.look();
  CHECK(bench.status() == "NeedsReconciliation");
  CHECK(bench.timeline() ==
        std::string(kSent) + "create refused NeedsReconciliation create-refused");
  CHECK(bench.database.query_value("SELECT http_status FROM recovery_evidence WHERE step = "
                                   "'create' AND decision <> 'Sending'") == "422");
}

TEST_CASE("a documented wait keeps every create back, after a recheck too", "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 503, .headers = {{"Retry-After", "1800"}}}});
  bench.look();
  bench.provider.forget_credits(operation_id(1));
  CHECK(bench.status() == "Unknown");
  CHECK(bench.database.query_value("SELECT lease_until >= (detail ->> 'not_before')::timestamptz "
                                   "AND lease_until > now() + interval '29 minutes' "
                                   "FROM operations, recovery_evidence "
                                   "WHERE detail ? 'not_before'") == "t");
  // Another daemon, to which the provider has not said that it wants a pause.
  bench.daemon->stop();
  bench.daemon.emplace(bench.loop, bench.database, bench.provider, "instance-2");
  // Though a person has rechecked it, and it were due now.
  bench.database.execute(insert_evidence(1, {{"step", "'recheck'"}, {"finding", "NULL"}}));
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.database.query_value("SELECT detail ->> 'create' FROM recovery_evidence ORDER BY "
                                   "evidence_id DESC LIMIT 1") == "not-before");
  bench.database.execute(
      "UPDATE recovery_evidence SET detail = detail || jsonb_build_object("
      "'not_before', now() - interval '1 second') WHERE detail ? 'not_before'");
  bench.look();
  CHECK(bench.posts() == 2);
  CHECK(bench.status() == "Succeeded cr_2");
}

TEST_CASE("an undocumented 503 is unclear, and looked up first", "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 503}});
  bench.look();
  CHECK(bench.timeline() == std::string(kSent) + "create no-answer Unknown no-answer");
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("a week-old operation that a person rechecks is judged by today's facts", "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute(
      "UPDATE operations SET created_at = now() - interval '7 days', submit_by = now() + interval "
      "'1 day', owner_version = 5, status = 'Unknown'");
  bench.database.execute(insert_evidence(
      1, {{"step", "'eligibility'"}, {"finding", "NULL"}, {"decision", "'Denied'"}}));
  bench.look();
  CHECK(bench.posts() == 0);
  CHECK(bench.asked() == "0");
  bench.database.execute(insert_evidence(1, {{"step", "'recheck'"}, {"finding", "NULL"}}));
  bench.look();
  CHECK(bench.asked() == "1");
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("a key older than the provider's retention is never sent", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->profile.guarantees.key_retention = {KeyRetention::Kind::finite, 24h};
  bench.daemon->prepare();
  bench.database.execute(
      "UPDATE operations SET created_at = now() - interval '23 hours 56 minutes', submit_by = now()"
      " + interval '1 day'");
  bench.look();
  CHECK(bench.posts() == 0);
  CHECK(bench.asked() == "0");
  bench.database.execute("UPDATE operations SET created_at = created_at + interval '5 minutes'");
  bench.look();
  CHECK(bench.posts() == 1);
}

TEST_CASE("B17 every attempt sends the same key and the same bytes, whoever makes it",
          "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute("UPDATE operations SET amount = 250.10, account_id = 'Ä\"''1'");
  bench.provider.then("", {{}, {.status = 503, .headers = {{"Retry-After", "0"}}}});
  bench.look();
  bench.provider.forget_credits(operation_id(1));
  bench.daemon->stop();
  bench.daemon.emplace(bench.loop, bench.database, bench.provider, "another");
  bench.look();
  std::vector<Seen> posts;
  for (const auto& request : bench.provider.requests())
    if (request.method == "POST") posts.push_back(request);
  REQUIRE(posts.size() == 2);
  CHECK(posts[0].body == posts[1].body);
  CHECK(posts[0].key == posts[1].key);
  CHECK(bench.asked() == "2");
  CHECK(bench.status() == "Succeeded cr_2");
}

}  // namespace
}  // namespace reconciled::test
