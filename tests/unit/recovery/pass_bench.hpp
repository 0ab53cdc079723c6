// SPDX-License-Identifier: Apache-2.0
// A pass on fakes: what is due is a list of leases, the provider answers Found unless told
// otherwise.
#pragma once

#include "recovery/pass.hpp"
#include "tests/support/fakes.hpp"

namespace reconciled::test {

constexpr DatabaseTime kNow{Duration{1'767'323'645'000'000}};

/// 250.00 USD for A-1, taken over at kNow, its submission window over for an hour.
inline Lease lease_of(int n) {
  Lease lease;
  lease.operation.id = id(n);
  lease.operation.account_id = "A-1";
  lease.operation.amount = Decimal::parse("250.00");
  lease.operation.currency = "USD";
  lease.operation.created_at = kNow - 2h;
  lease.operation.submit_by = kNow - 1h;
  lease.owner_version = {2};
  lease.as_of = kNow;
  lease.due_since = kNow - 1min;
  return lease;
}

struct PassBench {
  asio::io_context loop;
  FakeStore store{loop};
  std::shared_ptr<FakeProvider> provider = std::make_shared<FakeProvider>(loop);
  FakeEvents events;
  ProviderHealth health{15min};
  /// Waits are an hour, so that nothing goes on by time alone; the heartbeat is a millisecond.
  Terms terms;
  std::optional<OneShot> once;
  std::deque<Lease> due;
  std::optional<Pass> pass;
  std::shared_ptr<Outcome<PassResult>> result;

  PassBench() {
    terms.lease = 1h;
    terms.poll_interval = 1h;
    terms.drain_timeout = 1h;
    terms.heartbeat = 1ms;
    terms.max_in_flight = 4;
    terms.provider = provider;
    terms.rate_limit = std::make_shared<RateLimit>(0);
    provider->answer.always(found);
    store.on_take_over.always([this](const TakeoverRequest& request) { return take(request); });
    store.on_next_due.always([](DatabaseTime) { return std::optional<Duration>{}; });
    store.on_record.always([](const auto& batch) { return ids_of(batch); });
  }
  ~PassBench() {
    provider->gate.open();
    store.record_gate.open();
    if (pass && !result->ended()) {
      store.on_hand_back.always([](const auto&) { return Ids{}; });
      stop();
    }
  }

  Takeover take(const TakeoverRequest& request) {
    Takeover takeover{kNow, {}};
    std::deque<Lease> left;
    for (auto& lease : due) {
      const bool wanted =
          std::ssize(takeover.leases) < request.at_most && lease.operation.id != request.not_this;
      if (wanted) {
        lease.owner_token = request.owner_token;
        takeover.leases.push_back(lease);
      } else {
        left.push_back(lease);
      }
    }
    due = std::move(left);
    return takeover;
  }
  void start(std::initializer_list<int> operations = {}) {
    for (const int n : operations) due.push_back(lease_of(n));
    pass.emplace(loop.get_executor(), store, health, events, std::make_shared<const Terms>(terms),
                 once);
    result = spawn(loop, pass->run());
  }
  template <class Condition>
  void wait_for(Condition holds) {
    until(loop, holds);
  }
  /// Runs on for so many turns of the loop, in which something unwanted could happen.
  void some_turns() {
    const int wanted = events.turns + 20;
    wait_for([&] { return events.turns >= wanted; });
  }
  PassResult end() {
    wait_for([&] { return result->ended(); });
    if (result->thrown) std::rethrow_exception(result->thrown);
    return *result->value;
  }
  PassResult stop() {
    pass->stop();
    return end();
  }
  /// The breaker open for `why`, its probe due since long ago; operation 9 was the last one asked.
  void break_provider(ProviderSignal::Kind why = ProviderSignal::Kind::refused_401) {
    health.note(id(9), {why, {}}, SteadyClock::now() - 1h);
    REQUIRE_FALSE(health.available());
  }
};

}  // namespace reconciled::test
