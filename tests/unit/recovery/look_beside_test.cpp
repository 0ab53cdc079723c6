// SPDX-License-Identifier: Apache-2.0
// A look without ownership keeps to the limits of the pass.
#include "tests/unit/recovery/pass_bench.hpp"

namespace reconciled::test {
namespace {

std::shared_ptr<Outcome<std::optional<Look>>> look_beside(PassBench& bench, int n) {
  return spawn(bench.loop, bench.pass->look_beside(lease_of(n).operation, kNow));
}

/// Nothing was asked.
bool not_now(PassBench& bench) {
  const auto asked = bench.provider->asked.size();
  const auto look = look_beside(bench, 7);
  bench.wait_for([&] { return look->ended(); });
  CHECK(bench.provider->asked.size() == asked);
  return !look->value.value().has_value();
}

TEST_CASE("a look beside the pass brings what the provider says", "[look_beside]") {
  PassBench bench;
  bench.start();
  const auto look = look_beside(bench, 7);
  bench.wait_for([&] { return look->ended(); });
  CHECK(std::holds_alternative<Found>(look->value.value()->finding));
  CHECK(bench.provider->asked == Ids{id(7)});
  CHECK(bench.store.batches.empty());
}

TEST_CASE("a look beside the pass holds one of its slots", "[look_beside]") {
  PassBench bench;
  bench.terms.max_in_flight = 1;
  bench.provider->gate.close();
  bench.start();
  bench.wait_for([&] { return bench.store.on_take_over.calls == 1; });
  const auto look = look_beside(bench, 7);
  bench.wait_for([&] { return bench.provider->asked.size() == 1; });
  // Nothing is taken over that would have to wait behind it, and no second one looks beside.
  bench.due.push_back(lease_of(1));
  bench.pass->replace_terms(std::make_shared<const Terms>(bench.terms));
  bench.some_turns();
  CHECK(bench.store.on_take_over.calls == 1);
  CHECK(not_now(bench));
  bench.provider->gate.open();
  bench.wait_for([&] { return bench.events.recorded_ids == Ids{id(1)}; });
  CHECK(look->ended());
}

TEST_CASE("no look beside the pass while the provider is not to be asked", "[look_beside]") {
  PassBench bench;
  bench.break_provider();
  bench.start();
  CHECK(not_now(bench));
}

TEST_CASE("no look beside the pass without a request to spare", "[look_beside]") {
  PassBench bench;
  bench.terms.rate_limit = std::make_shared<RateLimit>(1);
  bench.terms.rate_limit->reserve(SteadyClock::now() + 1h);
  bench.start();
  CHECK(not_now(bench));
}

TEST_CASE("no look beside a pass that stops", "[look_beside]") {
  PassBench bench;
  bench.start();
  bench.pass->stop();
  CHECK(not_now(bench));
}

TEST_CASE("what a look beside the pass brings counts for the provider's health", "[look_beside]") {
  PassBench bench;
  bench.provider->answer.always([](const Operation&) {
    return Look{.finding = Refused{401}, .signal = {ProviderSignal::Kind::refused_401, {}}};
  });
  bench.start();
  const auto look = look_beside(bench, 7);
  bench.wait_for([&] { return look->ended(); });
  CHECK(bench.events.unavailable == 1);
  CHECK_FALSE(bench.health.available());
}

}  // namespace
}  // namespace reconciled::test
