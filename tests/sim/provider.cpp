// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/provider.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled::sim {
namespace {

namespace asio = boost::asio;
using Kind = ProviderSignal::Kind;

Awaitable<void> wait_until(SteadyTime at) {
  asio::steady_timer timer{co_await asio::this_coro::executor, at};
  co_await timer.async_wait(asio::use_awaitable);
}

Look with_credits(std::vector<Credit> credits) {
  Look look;
  look.http_status = 200;
  look.pages = 1;
  if (credits.empty())
    look.finding = Absent{};
  else
    look.finding = Found{std::move(credits)};
  return look;
}

}  // namespace

std::string Ledger::create(const Operation& operation) {
  const auto effective = SteadyClock::now() + random_.between(1ms, promised_.processing_time);
  HeldCredit held;
  held.visible_from = effective + random_.between(Duration::zero(), promised_.visibility_lag);
  if (bug_ == Bug::provider_beyond_its_promise) held.visible_from += 3h;
  held.final_from = held.visible_from;
  if (random_.percent(20)) held.final_from += random_.between(1min, 30min);
  auto& credits = credits_[operation.id];
  held.credit.reference = "cr_" + std::to_string(credits.size() + 1);
  held.credit.account = operation.account_id;
  held.credit.amount = *operation.amount;
  if (random_.percent(2)) held.credit.amount = *Decimal::parse("249.99");
  held.credit.currency = operation.currency;
  held.credit.state = random_.percent(5) ? CreditState::failed : CreditState::settled;
  credits.push_back(held);
  return held.credit.reference;
}

const std::vector<HeldCredit>& Ledger::held(const OperationId& id) const {
  static const std::vector<HeldCredit> kNone;
  const auto found = credits_.find(id);
  return found == credits_.end() ? kNone : found->second;
}

std::vector<Credit> Ledger::shown(const OperationId& id, SteadyTime at) const {
  std::vector<Credit> credits;
  for (const auto& held : this->held(id)) {
    if (at < held.visible_from) continue;
    credits.push_back(held.credit);
    if (at < held.final_from) credits.back().state = CreditState::pending;
  }
  return credits;
}

std::optional<Look> SimulatedProvider::trouble() {
  const auto now = SteadyClock::now();
  if (faults_.provider_unreachable.holds(now))
    return Look{.finding = Unreachable{"refused"}, .signal = {Kind::unreachable}};
  if (faults_.provider_refuses.holds(now)) {
    const bool forbidden = random_.percent(50);
    return Look{.finding = Refused{forbidden ? 403 : 401},
                .signal = {forbidden ? Kind::refused_403 : Kind::refused_401},
                .http_status = forbidden ? 403 : 401};
  }
  return std::nullopt;
}

Look SimulatedProvider::odd(std::vector<Credit> credits) {
  switch (random_.below(4)) {
    case 0: {
      const auto after = random_.between(1s, 5min);
      return {.finding = Throttled{after}, .signal = {Kind::throttled, after}, .http_status = 429};
    }
    case 1:
      while (!credits.empty() && random_.percent(50)) credits.pop_back();
      return {.finding = Incomplete{std::move(credits), "page 2 failed"},
              .signal = {Kind::no_answer},
              .http_status = 500,
              .pages = 1};
    case 2:
      return {.finding = Unintelligible{"HTML"}, .http_status = 200};
    default:
      return {.finding = NoAnswer{"status 500"}, .signal = {Kind::no_answer}, .http_status = 500};
  }
}

Awaitable<Look> SimulatedProvider::look_up(const Operation& operation, DatabaseTime /*as_of*/,
                                           SteadyTime until) {
  const auto began = SteadyClock::now();
  if (auto look = trouble()) co_return std::move(*look);
  const auto timeout = std::min(until, began + 10s);
  if (faults_.provider_silent.holds(began)) {
    co_await wait_until(timeout);
    co_return Look{.finding = NoAnswer{"out of time"}, .signal = {Kind::no_answer}};
  }
  // The answer shows what was there at some moment between the request and itself.
  co_await wait_until(std::min(timeout, began + random_.between(1ms, 2s)));
  auto credits = ledger_.shown(operation.id, SteadyClock::now());
  co_await wait_until(std::min(timeout, SteadyClock::now() + random_.between(1ms, 2s)));
  Look look = faults_.chance(random_, faults_.odd_answers) ? odd(std::move(credits))
                                                           : with_credits(std::move(credits));
  look.duration = std::chrono::floor<Duration>(SteadyClock::now() - began);
  co_return look;
}

}  // namespace reconciled::sim
