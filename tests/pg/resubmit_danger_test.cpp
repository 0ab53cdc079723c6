// SPDX-License-Identifier: Apache-2.0
// Creating again when something goes wrong at the worst moment: ownership, clocks, crashes,
// credentials, and the switch that trips (design §6, G1, G6, G12).
#include "tests/support/resubmit_bench.hpp"

namespace reconciled::test {
namespace {

constexpr char kSent[] = "eligibility Allowed no hold, create Sending allowed, ";

/// Starts the pass and lets it come to the point just before the send.
void hold_before_send(ResubmitBench& bench) {
  bench.daemon->stepped.gate.close();
  bench.daemon->start();
  until(bench.loop, [&] { return bench.daemon->stepped.begun == 1; });
}

TEST_CASE("a window that ends between the check and the send lets nothing out", "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute(
      "UPDATE operations SET submit_by = clock_timestamp() + interval '4 seconds'");
  hold_before_send(bench);
  until(bench.loop, [&] {
    return bench.database.query_value("SELECT clock_timestamp() >= submit_by FROM operations") ==
           "t";
  });
  bench.daemon->stepped.gate.open();
  until(bench.loop, [&] { return bench.daemon->events.recorded_ids.size() == 1; });
  CHECK(bench.posts() == 0);
  CHECK(bench.timeline() == std::string(kSent) + "create unreachable Unknown unreachable");
}

TEST_CASE("G1 who has lost the operation before the decision asks and sends nothing",
          "[resubmit]") {
  ResubmitBench bench;
  const auto* change = GENERATE("owner_version = owner_version + 1",
                                "owner_token = gen_random_uuid()", "status = 'Succeeded'");
  bench.hold_before_decision();
  bench.database.execute(std::string("UPDATE operations SET ") + change);
  bench.daemon->looking.gate.open();
  until(bench.loop, [&] { return bench.daemon->events.lost.size() == 1; });
  CHECK(bench.posts() == 0);
  CHECK(bench.asked() == "0");
  CHECK(bench.timeline() == "none");
}

TEST_CASE("two daemons, one asleep past its lease: at most what one key allows", "[resubmit]") {
  ResubmitBench bench;
  hold_before_send(bench);
  // Its lease runs out, another takes over, is allowed and creates.
  bench.end_lease();
  ResubmittingDaemon other(bench.loop, bench.database, bench.provider, "instance-2");
  other.start();
  until(bench.loop, [&] { return other.events.recorded_ids.size() == 1; });
  other.stop();
  CHECK(bench.status() == "Succeeded cr_1");
  bench.daemon->stepped.gate.open();
  until(bench.loop, [&] { return bench.daemon->events.lost.size() == 1; });
  // The pause could not be fenced; the provider's guarantee covers it: the same key, one credit.
  CHECK(bench.posts() == 2);
  for (const auto& request : bench.provider.requests()) CHECK(request.key == operation_id(1));
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("G12 a crash before the send leaves a Sending, and the next attempt is a new one",
          "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->stepped.crash_before = true;
  bench.daemon->start();
  until(bench.loop, [&] { return !bench.daemon->events.defects.empty(); });
  CHECK(bench.posts() == 0);
  CHECK(bench.timeline() + ", " == kSent);
  bench.daemon->stepped.crash_before = false;
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.asked() == "2");
  CHECK(bench.status() == "Succeeded cr_1");
}

TEST_CASE("G12 a crash after the send is found by the next look", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->stepped.crash_after = true;
  bench.daemon->start();
  until(bench.loop, [&] { return !bench.daemon->events.defects.empty(); });
  CHECK(bench.posts() == 1);
  CHECK(bench.daemon->events.handed == 0);
  bench.daemon->stepped.crash_after = false;
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.status() == "Succeeded cr_1");
  CHECK(bench.timeline() == std::string(kSent) + "lookup found Succeeded proven");
}

TEST_CASE("an attempt that left no outcome counts as young from the end of its lease",
          "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->profile.guarantees.processing_time = 10min;
  bench.daemon->prepare();
  bench.daemon->stepped.crash_after = true;
  bench.daemon->start();
  until(bench.loop, [&] { return !bench.daemon->events.defects.empty(); });
  bench.daemon->stepped.crash_after = false;
  bench.provider.forget_credits(operation_id(1));  // not visible yet
  const auto lease_ended = [&](const std::string& ago) {
    bench.database.execute(
        "UPDATE recovery_evidence SET observed_at = now() - interval '20 minutes', detail = detail "
        "|| jsonb_build_object('lease_until', now() - interval '" +
        ago + "') WHERE decision = 'Sending'");
  };
  lease_ended("9 minutes");  // its request may have gone out as late as that
  bench.look();
  CHECK(bench.posts() == 1);
  lease_ended("11 minutes");
  bench.look();
  CHECK(bench.posts() == 2);
}

TEST_CASE("an operation whose create is on its way is not handed back", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->terms.drain_timeout = 1ms;
  bench.provider.then("", {{}, {.cut = Cut::never}});
  bench.daemon->start();
  until(bench.loop, [&] { return bench.posts() == 1; });
  bench.daemon->stop();
  CHECK(bench.daemon->events.handed == 0);
  CHECK(bench.timeline() + ", " == kSent);
  CHECK(bench.database.query_value(
            "SELECT owner_token IS NOT NULL AND lease_until > now() FROM operations") == "t");
}

TEST_CASE("a handback keeps a documented wait", "[resubmit]") {
  ResubmitBench bench;
  bench.database.execute(insert_evidence(
      1, {{"step", "'create'"},
          {"owner_version", "0"},
          {"detail", "jsonb_build_object('not_before', now() + interval '30 minutes')"}}));
  bench.daemon->terms.drain_timeout = 1ms;
  bench.hold_before_decision();
  bench.daemon->stop();
  CHECK(bench.daemon->events.handed == 1);
  CHECK(bench.database.query_value("SELECT owner_token IS NULL AND lease_until = (SELECT (detail "
                                   "->> 'not_before')::timestamptz FROM recovery_evidence WHERE "
                                   "step = 'create') FROM operations") == "t");
}

TEST_CASE("a shutdown that is over sends nothing more", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->terms.drain_timeout = 1ms;
  bench.database.execute(
      "CREATE OR REPLACE FUNCTION public.may_create(operation uuid) RETURNS TABLE (outcome text, "
      "decision_id text, reason text) LANGUAGE sql AS $$ SELECT 'Allowed', 'd', 'no hold' FROM "
      "pg_sleep(0.5) $$");
  bench.daemon->start();
  until(bench.loop, [&] { return bench.provider.request_count() == 1; });
  until(bench.loop, [&] { return bench.daemon->database.statements() == 3; });
  bench.daemon->stop();
  CHECK(bench.posts() == 0);
}

TEST_CASE("a refused connection is tried thrice at most, each time asked again", "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->profile.create->path = std::get<Template>(Template::parse("/v1/credits"));
  // The lookup goes to the provider, the creates to a port where nobody listens.
  auto elsewhere = bench.daemon->profile;
  elsewhere.base_url = "http://127.0.0.1:9";
  HttpCreator creator{elsewhere, bench.daemon->client, bench.daemon->rate, {}};
  SteppedCreator stepped{creator, bench.loop};
  bench.daemon->terms.resubmission = std::make_shared<Resubmission>(
      std::make_shared<SqlAttemptStore>(bench.daemon->database, "instance-1", "public.may_create"),
      std::shared_ptr<Creator>(std::shared_ptr<void>(), &stepped), bench.daemon->attempt);
  bench.look();
  CHECK(stepped.begun == 3);
  CHECK(bench.asked() == "1");
  CHECK(bench.timeline() == std::string(kSent) + "create unreachable Unknown unreachable");
}

TEST_CASE("a refreshed credential stays inside its attempt and its decision", "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 401}});
  bench.daemon->stepped.on_refresh = [&] {
    bench.provider.forget_credits(operation_id(1));
    bench.daemon->credential = "new";
  };
  bench.look();
  CHECK(bench.posts() == 2);
  CHECK(bench.asked() == "1");
  CHECK(bench.provider.requests().back().header("Authorization") == "Bearer new");
  CHECK(bench.status() == "Succeeded cr_2");
}

TEST_CASE("a 401 whose credential did not change ends the attempt", "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 401}});
  bench.look();
  CHECK(bench.posts() == 1);
  CHECK(bench.timeline() == std::string(kSent) + "create refused Unknown refused");
  CHECK(bench.daemon->events.unavailable == 1);
}

TEST_CASE("a hold placed before the attempt is not passed by a refreshed credential",
          "[resubmit]") {
  ResubmitBench bench;
  bench.provider.then("", {{}, {.status = 401}});
  bench.look();
  bench.provider.forget_credits(operation_id(1));
  bench.fact("Denied");
  bench.daemon->credential = "new";
  bench.database.execute("UPDATE operations SET lease_until = now() - interval '1 second'");
  bench.daemon->look_now();
  until(bench.loop, [&] { return bench.daemon->events.recorded_ids.size() == 2; });
  CHECK(bench.posts() == 1);
  CHECK(bench.asked() == "2");
}

TEST_CASE("the switch trips for every daemon when money looks wrong, until a person turns it on",
          "[resubmit]") {
  struct Row {
    const char* name = "";
    Behaviour answer = {};
    const char* verdict = "";
    const char* reason = "";
  };
  const std::string key = operation_id(1);
  const Row rows[] = {
      {"mismatch",
       {.body = R"({"id":"cr_9","key":")" + key +
                R"(","account":"A-1","amount":"1","currency":"USD","state":"posted"})"},
       "create found NeedsReconciliation mismatch",
       "mismatch"},
      {"another's credit",
       {.body = R"({"id":"cr_9","key":"other","account":"A-1","amount":"250","currency":"USD",)"
                R"("state":"posted"})"},
       "create unintelligible Unknown foreign-credit",
       "foreign-credit"}};
  for (const auto& row : rows) {
    CAPTURE(row.name);
    ResubmitBench bench;
    bench.provider.then("", {{}, row.answer});
    bench.look();
    CHECK(bench.timeline() == kSent + std::string(row.verdict));
    CHECK(bench.switched().find(std::string("f ") + row.reason + ": operation " + key) == 0);
    CHECK(bench.daemon->events.trips == 1);
    ResubmittingDaemon other(bench.loop, bench.database, bench.provider, "instance-2");
    bench.database.execute("DELETE FROM operations;" + insert_operation(2));
    other.start();
    until(bench.loop, [&] { return other.events.recorded_ids.size() == 1; });
    CHECK(other.events.offs == 1);
    CHECK(bench.posts() == 1);
    CHECK(bench.asked() == "1");
  }
}

TEST_CASE("a duplicate that a lookup finds trips the switch, on every daemon's behalf",
          "[resubmit]") {
  ResubmitBench bench;
  bench.daemon->terms.resubmission = nullptr;
  for (const auto* id : {"cr_1", "cr_2"})
    bench.provider.credit(operation_id(1), {{"id", id},
                                            {"key", operation_id(1)},
                                            {"amount", "250.00"},
                                            {"currency", "USD"},
                                            {"account", "A-1"},
                                            {"state", "posted"}});
  bench.look();
  CHECK(bench.timeline() == "lookup found NeedsReconciliation duplicate");
  CHECK(bench.switched().find("f duplicate: operation ") == 0);
}

}  // namespace
}  // namespace reconciled::test
