// SPDX-License-Identifier: Apache-2.0
// The pass loop on fakes: how much it takes over, when it asks again, and what it makes of doubt.
#include "tests/unit/recovery/pass_bench.hpp"

namespace reconciled::test {
namespace {

TEST_CASE("what is due is taken over, looked up, judged and recorded", "[pass]") {
  PassBench bench;
  bench.start({1, 2});
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 2; });
  CHECK(bench.events.taken == Ids{id(1), id(2)});
  CHECK(bench.provider->asked == Ids{id(1), id(2)});
  const auto& entry = bench.store.batches.front().front();
  CHECK(entry.ownership.owner_version == OwnerVersion{2});
  CHECK(entry.ownership.owner_token == bench.store.requests.front().owner_token);
  CHECK(entry.verdict == Verdict{Decision::succeeded, Reason::proven, "cr_1"});
  CHECK(entry.finding == "found");
  CHECK(bench.stop().undecided == 0);
}

TEST_CASE("a pass takes over no more than it has free slots", "[pass]") {
  PassBench bench;
  bench.terms.max_in_flight = 3;
  bench.provider->gate.close();
  bench.start({1, 2, 3, 4, 5});
  bench.wait_for([&] { return bench.provider->asked.size() == 3; });
  bench.some_turns();
  CHECK(bench.store.requests.size() == 1);
  CHECK(bench.store.requests[0].at_most == 3);
  bench.provider->gate.open();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 5; });
  for (const auto& request : bench.store.requests) CHECK(request.at_most <= 3);
}

TEST_CASE("a slow database does not let ownership pile up", "[pass]") {
  PassBench bench;
  bench.terms.max_in_flight = 1;
  bench.store.record_gate.close();
  bench.start({1, 2, 3, 4, 5, 6});
  bench.wait_for([&] { return bench.provider->asked.size() == 4; });
  bench.some_turns();
  CHECK(bench.provider->asked.size() == 4);
  bench.store.record_gate.open();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 6; });
}

TEST_CASE("a pass takes over no more than the rate limit will allow within half of the timeout",
          "[pass]") {
  PassBench bench;
  bench.terms.lookup_timeout = 4s;
  bench.terms.rate_limit = std::make_shared<RateLimit>(1);
  const int allowed = bench.terms.rate_limit->available(SteadyClock::now(), 2s);
  REQUIRE(allowed < 4);
  bench.provider->rate_limit = bench.terms.rate_limit;
  bench.provider->gate.close();
  bench.start({1, 2, 3, 4, 5});
  bench.wait_for([&] { return std::ssize(bench.provider->asked) == allowed; });
  bench.some_turns();
  CHECK(std::ssize(bench.provider->asked) == allowed);
  CHECK(bench.store.requests[0].at_most == allowed);
}

TEST_CASE("while the breaker is open one probe goes out, and not the operation probed last",
          "[pass]") {
  PassBench bench;
  bench.break_provider();
  bench.provider->gate.close();
  bench.start({9, 1, 2});
  bench.wait_for([&] { return bench.provider->asked.size() == 1; });
  bench.some_turns();
  CHECK(bench.provider->asked == Ids{id(1)});
  CHECK(bench.store.requests.size() == 1);
  CHECK(bench.store.requests[0].at_most == 1);
  CHECK(bench.store.requests[0].not_this == id(9));
  bench.provider->gate.open();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 3; });
  CHECK(bench.events.available == 1);
}

TEST_CASE("G8 the operation probed last is probed again if it is the only one", "[pass]") {
  PassBench bench;
  bench.break_provider();
  bench.start({9});
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
  CHECK(bench.store.requests[0].not_this == id(9));
  CHECK(bench.store.requests[1].not_this == std::nullopt);
  CHECK(bench.events.available == 1);
}

TEST_CASE("five failures of different operations stop takeovers", "[pass]") {
  PassBench bench;
  bench.provider->answer.always(no_answer);
  bench.terms.max_in_flight = 5;
  bench.start({1, 2, 3, 4, 5});
  bench.wait_for([&] { return bench.events.unavailable == 1; });
  const auto asked = bench.store.requests.size();
  bench.some_turns();
  CHECK(bench.store.requests.size() == asked);
}

TEST_CASE("a journey that breaks takes no other operation's probe away", "[pass]") {
  PassBench bench;
  bench.terms.max_in_flight = 2;
  bench.provider->gate.close();
  bench.start({1});
  bench.wait_for([&] { return bench.provider->asked.size() == 1; });
  bench.break_provider();  // meanwhile
  bench.due.push_back(lease_of(2));
  bench.pass->replace_terms(std::make_shared<const Terms>(bench.terms));
  bench.wait_for([&] { return bench.provider->asked.size() == 2; });
  bench.provider->answer.then([](const auto&) -> Look { throw std::runtime_error("broken"); });
  bench.provider->gate.open();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
  CHECK(bench.events.defects == std::vector<std::string>{"1 broken"});
  CHECK(bench.events.available == 1);
}

TEST_CASE("a due row that somebody else holds locked does not make the loop spin", "[pass]") {
  PassBench bench;
  bench.start();
  bench.some_turns();
  CHECK(bench.store.on_take_over.calls == 1);
  CHECK(bench.store.on_next_due.calls == 1);
}

TEST_CASE("the loop wakes when the next lease ends", "[pass]") {
  PassBench bench;
  bench.store.on_next_due.then([&](DatabaseTime after) {
    CHECK(after == kNow);
    bench.due.push_back(lease_of(1));
    return std::optional<Duration>{1ms};
  });
  bench.start();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
}

TEST_CASE("a lease that has ended meanwhile is taken at once", "[pass]") {
  PassBench bench;
  bench.store.on_next_due.then([](DatabaseTime) { return std::optional<Duration>{-5ms}; });
  bench.start();
  bench.wait_for([&] { return bench.store.on_take_over.calls == 2; });
}

TEST_CASE("the loop sleeps no longer than the poll interval", "[pass]") {
  PassBench bench;
  bench.terms.poll_interval = 1ms;
  bench.store.on_next_due.always([](DatabaseTime) { return std::optional<Duration>{24h}; });
  bench.start();
  bench.wait_for([&] { return bench.store.on_take_over.calls == 3; });
}

/// The loop has gone to sleep for an hour; operation 1 is recorded as Unknown only then.
void record_while_asleep(PassBench& bench) {
  bench.provider->answer.then(absent);
  bench.store.record_gate.close();
  bench.start();
  bench.wait_for([&] { return bench.store.batches.size() == 1; });
  bench.some_turns();
  const auto calls = bench.store.on_take_over.calls;
  bench.store.record_gate.open();
  bench.wait_for([&] { return bench.store.on_take_over.calls > calls; });
}

TEST_CASE("the next look of an Unknown wakes the loop", "[pass]") {
  PassBench bench;
  bench.terms.backoff = {1ms, 1ms};
  bench.due.push_back(lease_of(1));
  bench.due.back().operation.submit_by = kNow + 1h;
  record_while_asleep(bench);
}

TEST_CASE("the end of the submission window wakes the loop, if that is earlier", "[pass]") {
  PassBench bench;
  bench.terms.backoff = {24h, 24h};
  bench.due.push_back(lease_of(1));
  bench.due.back().operation.submit_by = kNow;  // looked at again a second later
  bench.terms.guarantees.visibility_lag = 1ms;
  record_while_asleep(bench);
}

TEST_CASE("G1 a takeover without acknowledgement is read back by its own token", "[pass]") {
  PassBench bench;
  bench.store.on_take_over.then([](const auto&) { return in_doubt(); });
  bench.store.on_read_back_takeover.then([](OwnerToken) { return not_connected(); })
      .then([](OwnerToken asked) {
        auto lease = lease_of(1);
        lease.owner_token = asked;
        return Takeover{kNow, {lease}};
      });
  bench.start();
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
  const auto sent = bench.store.requests[0].owner_token;
  CHECK(bench.store.read_back_tokens == std::vector{sent, sent});
  CHECK(bench.store.batches[0][0].ownership.owner_token == sent);
  CHECK(bench.events.failed == 2);
}

TEST_CASE("a takeover that was not sent is sent with a new token and not read back", "[pass]") {
  PassBench bench;
  const auto error = GENERATE(not_connected(), refusal("57014"));
  bench.store.on_take_over.then([=](const auto&) { return error; });
  bench.start({1});
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
  CHECK(bench.store.requests[0].owner_token != bench.store.requests[1].owner_token);
}

TEST_CASE("each takeover has a token of its own", "[pass]") {
  PassBench bench;
  bench.terms.max_in_flight = 1;
  bench.start({1, 2});
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 2; });
  CHECK(bench.store.requests[0].owner_token != bench.store.requests[1].owner_token);
}

TEST_CASE("a lease with too little time left is not looked up", "[pass]") {
  PassBench bench;
  bench.terms.lease = 15s;
  bench.terms.lease_margin = 5s;
  bench.terms.lookup_timeout = 10s;
  bench.start({1});
  bench.wait_for([&] { return bench.store.on_next_due.calls == 1; });
  bench.some_turns();
  CHECK(bench.provider->asked.empty());
  CHECK(bench.stop().undecided == 1);
}

TEST_CASE("a defect in the provider ends one journey and no other", "[pass]") {
  PassBench bench;
  bench.provider->answer.then([](const auto&) -> Look { throw std::runtime_error("broken"); });
  bench.start({1, 2});
  bench.wait_for([&] { return bench.pass->in_flight() == 0 && bench.provider->asked.size() == 2; });
  CHECK(bench.events.recorded_ids == Ids{id(2)});
  CHECK(bench.events.defects == std::vector<std::string>{"1 broken"});
  bench.due.push_back(lease_of(3));
  bench.pass->replace_terms(std::make_shared<const Terms>(bench.terms));
  bench.wait_for([&] { return bench.pass->in_flight() == 0 && bench.provider->asked.size() == 3; });
  CHECK(bench.events.recorded_ids == Ids{id(2), id(3)});
}

TEST_CASE("a defect in the store while recording ends one journey and no other", "[pass]") {
  PassBench bench;
  bench.store.on_record.then(
      [](const auto&) -> sql::Result<Ids> { throw std::out_of_range("not an id"); });
  bench.terms.max_in_flight = 1;
  bench.start({1, 2});
  bench.wait_for([&] { return bench.pass->in_flight() == 0 && bench.provider->asked.size() == 2; });
  CHECK(bench.events.recorded_ids == Ids{id(2)});
  CHECK(bench.events.defects == std::vector<std::string>{"1 not an id"});
}

TEST_CASE("ownership that was lost is told and nothing is retried", "[pass]") {
  PassBench bench;
  bench.store.on_record.then([](const auto&) { return Ids{}; });
  bench.start({1});
  bench.wait_for([&] { return bench.events.lost == Ids{id(1)}; });
  bench.some_turns();
  CHECK(bench.store.on_record.calls == 1);
  CHECK(bench.events.recorded_ids.empty());
}

TEST_CASE("a disabled recovery takes nothing over until it is enabled", "[pass]") {
  PassBench bench;
  bench.terms.enabled = false;
  bench.start({1});
  bench.some_turns();
  CHECK(bench.store.requests.empty());
  bench.terms.enabled = true;
  bench.pass->replace_terms(std::make_shared<const Terms>(bench.terms));
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 1; });
}

TEST_CASE("what cannot be shown goes into the evidence's detail", "[pass]") {
  PassBench bench;
  bench.provider->answer.then([](const Operation& operation) {
    auto look = found(operation);
    auto& credit = std::get<Found>(look.finding).credits.front();
    credit.account.reset();
    credit.currency.reset();
    return look;
  });
  bench.provider->answer.then([](const auto&) -> Look {
    return {.finding = Unintelligible{"no \"id\""}, .http_status = 200};
  });
  bench.start({1, 2});
  bench.wait_for([&] { return bench.events.recorded_ids.size() == 2; });
  std::vector<Entry> all;
  for (const auto& batch : bench.store.batches) all.insert(all.end(), batch.begin(), batch.end());
  CHECK(all[0].detail == R"({"unproven":["account","currency"]})");
  CHECK(all[1].detail == R"({"why":"no \"id\""})");
}

}  // namespace
}  // namespace reconciled::test
