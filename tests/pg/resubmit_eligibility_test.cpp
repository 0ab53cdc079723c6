// SPDX-License-Identifier: Apache-2.0
// The service's eligibility function as the database runs it for a create: stale facts, one state,
// and every way in which it may fail to decide (design §6).
#include "tests/support/resubmit_bench.hpp"

namespace reconciled::test {
namespace {

/// What the credit was offered on, and what holds now: a time and two versioned facts.
constexpr char kVersionedFacts[] = R"(
CREATE TABLE public.offer (valid_until timestamptz, balance_version int, policy_version int);
INSERT INTO public.offer VALUES (clock_timestamp() + interval '1 hour', 3, 7);
CREATE TABLE public.today (balance_version int, policy_version int);
INSERT INTO public.today VALUES (3, 7);
GRANT SELECT ON public.offer, public.today TO reconciled_recovery;
CREATE OR REPLACE FUNCTION public.may_create(operation uuid)
RETURNS TABLE (outcome text, decision_id text, reason text) LANGUAGE sql AS $$
  INSERT INTO public.asked VALUES (operation);
  SELECT CASE WHEN stale = '' THEN 'Allowed' ELSE 'Denied' END, 'd-1',
    CASE WHEN stale = '' THEN 'no hold' ELSE stale END
  FROM (
    SELECT CASE
      WHEN clock_timestamp() >= valid_until THEN 'offer over'
      WHEN offer.balance_version <> today.balance_version THEN 'balance changed'
      WHEN offer.policy_version <> today.policy_version THEN 'policy changed'
      ELSE '' END
    FROM public.offer CROSS JOIN public.today) AS facts (stale);
$$;
)";

std::string create_word(const ResubmitBench& bench) {
  return bench.database.query_value(
      "SELECT concat_ws(' ', detail ->> 'create', detail ->> 'sqlstate') FROM recovery_evidence "
      "WHERE step = 'lookup' ORDER BY evidence_id DESC LIMIT 1");
}

/// A function that looks at its facts twice, and waits between for whoever holds lock 42.
constexpr char kTwoLooks[] = R"(
CREATE TABLE public.hold (n int);
INSERT INTO public.hold VALUES (0);
GRANT SELECT ON public.hold TO reconciled_recovery;
CREATE OR REPLACE FUNCTION public.may_create(operation uuid)
RETURNS TABLE (outcome text, decision_id text, reason text) LANGUAGE plpgsql VOLATILE AS $$
DECLARE a int; b int;
BEGIN
  SELECT n INTO a FROM public.hold;
  PERFORM pg_advisory_xact_lock(42);
  SELECT n INTO b FROM public.hold;
  RETURN QUERY SELECT CASE WHEN a = b THEN 'Allowed' ELSE 'Denied' END, 'd-1', a || ' and ' || b;
END $$;
)";

/// Somebody who makes kTwoLooks wait, from the start of the pass on until let_go().
struct Waiting {
  explicit Waiting(ResubmitBench& at) : bench(at), holder(at.database.connect()) {
    bench.database.execute(kTwoLooks);
    pqxx::nontransaction(*holder).exec("SELECT pg_advisory_lock(42)");
    bench.daemon->start();
    bench.until_one_waits();
  }
  void let_go() { pqxx::nontransaction(*holder).exec("SELECT pg_advisory_unlock(42)"); }
  void strike(const std::string& how) {
    bench.database.execute("SELECT " + how +
                           "(pid) FROM pg_stat_activity "
                           "WHERE wait_event_type = 'Lock' AND datname = current_database()");
  }
  void recorded(std::size_t times) {
    until(bench.loop, [&] { return bench.daemon->events.recorded_ids.size() == times; });
  }

  ResubmitBench& bench;
  std::unique_ptr<pqxx::connection> holder;
};

TEST_CASE("a validity that is over and each stale version is Denied, and nothing is created",
          "[resubmit]") {
  struct Row {
    const char* change;
    const char* restore;
    const char* reason;
  };
  const Row rows[] = {
      {"UPDATE public.offer SET valid_until = clock_timestamp()",
       "UPDATE public.offer SET valid_until = clock_timestamp() + interval '1 hour'", "offer over"},
      {"UPDATE public.today SET balance_version = 4", "UPDATE public.today SET balance_version = 3",
       "balance changed"},
      {"UPDATE public.today SET policy_version = 8", "UPDATE public.today SET policy_version = 7",
       "policy changed"}};
  for (const auto& row : rows) {
    CAPTURE(row.reason);
    ResubmitBench bench;
    bench.database.execute(kVersionedFacts);
    bench.database.execute(row.change);
    bench.look();
    CHECK(bench.timeline() == std::string("eligibility Denied ") + row.reason +
                                  ", lookup absent Unknown absent-so-far");
    CHECK(create_word(bench) == "Denied");
    // That it would be allowed by now changes nothing until a person rechecks.
    bench.database.execute(row.restore);
    bench.look();
    CHECK(create_word(bench) == "denied");
    CHECK(bench.posts() == 0);
    CHECK(bench.asked() == "1");
    bench.database.execute(insert_evidence(1, {{"step", "'recheck'"}, {"finding", "NULL"}}));
    bench.look();
    CHECK(bench.posts() == 1);
    CHECK(bench.status() == "Succeeded cr_1");
  }
}

TEST_CASE("facts that all still hold are Allowed, and one credit is made", "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute(kVersionedFacts);
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("the service's own eligibility sees one state, whatever changes meanwhile",
          "[resubmit]") {
  ResubmitBench bench;
  // A change is committed between its two statements: without one snapshot the second would see it.
  Waiting waiting(bench);
  bench.database.execute("UPDATE public.hold SET n = 1");
  waiting.let_go();
  waiting.recorded(1);
  CHECK(bench.timeline() ==
        "eligibility Allowed 0 and 0, create Sending allowed, create found Succeeded proven");
}

TEST_CASE("an eligibility function that is cancelled has not decided, and is asked again",
          "[resubmit]") {
  ResubmitBench bench;
  Waiting waiting(bench);
  // What statement_timeout does: query_canceled.
  waiting.strike("pg_cancel_backend");
  waiting.recorded(1);
  CHECK(bench.posts() == 0);
  CHECK(bench.timeline() ==
        "eligibility CannotDetermine error, lookup absent Unknown absent-so-far");
  CHECK(create_word(bench) == "CannotDetermine 57014");
  waiting.let_go();
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("a session that breaks while eligibility is asked permits nothing", "[resubmit]") {
  ResubmitBench bench;
  Waiting waiting(bench);
  waiting.strike("pg_terminate_backend");
  waiting.recorded(1);
  CHECK(bench.posts() == 0);
  CHECK(bench.timeline() == "lookup absent Unknown absent-so-far");
  CHECK(create_word(bench).starts_with("database"));
  CHECK(bench.daemon->events.failed > 0);
  waiting.let_go();
  bench.look();
  CHECK(bench.posts() == 1);
}

TEST_CASE("an operation that changes while its decision is being made is deferred", "[resubmit]") {
  ResubmitBench bench;
  bench.hold_before_decision();
  const auto other = bench.database.connect();
  pqxx::work change(*other);
  change.exec(R"(UPDATE operations SET provider_context = '{"wallet": "w-1"}')");
  bench.daemon->looking.gate.open();
  bench.until_one_waits();
  change.commit();
  until(bench.loop, [&] { return bench.daemon->events.recorded_ids.size() == 1; });
  CHECK(bench.posts() == 0);
  CHECK(bench.asked() == "0");
  CHECK(bench.timeline() ==
        "eligibility CannotDetermine error, lookup absent Unknown absent-so-far");
  CHECK(create_word(bench) == "CannotDetermine 40001");
  bench.look();
  CHECK(bench.posts() == 1);
}

TEST_CASE("a decision is durable before anything is sent, whatever the server's setting",
          "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute(
      "CREATE OR REPLACE FUNCTION public.may_create(operation uuid) RETURNS TABLE (outcome text, "
      "decision_id text, reason text) LANGUAGE sql AS "
      "$$ SELECT 'Allowed', 'd-1', current_setting('synchronous_commit') $$");
  for (const auto& [setting, seen] : {std::pair{"off", "on"}, std::pair{"local", "on"},
                                      std::pair{"remote_write", "remote_write"}}) {
    CAPTURE(setting);
    bench.database.execute(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = " +
        std::string(setting) + "', current_database()); END $$");
    bench.daemon.emplace(bench.loop, bench.database, bench.provider);
    bench.provider.forget_credits(operation_id(1));
    bench.database.execute(
        "DELETE FROM recovery_evidence; UPDATE operations SET status = 'Unknown'");
    bench.look();
    CHECK(bench.database.query_value(
              "SELECT reason FROM recovery_evidence WHERE step = 'eligibility'") == seen);
  }
}

}  // namespace
}  // namespace reconciled::test
