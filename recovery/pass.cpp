// SPDX-License-Identifier: Apache-2.0
#include "recovery/pass.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/chance.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// Operations in flight, those that wait to be recorded included, for each lookup slot: a slow
/// database must not let ownership pile up.
constexpr int kInFlightMost = 4;

}  // namespace

Pass::Pass(const asio::any_io_executor& executor, Store& store, ProviderHealth& health,
           Events& events, std::shared_ptr<const Terms> terms, std::optional<OneShot> once)
    : executor_(executor),
      store_(store),
      health_(health),
      events_(events),
      recorder_(executor, store, events),
      terms_(std::move(terms)),
      once_(once),
      left_(once ? once->operations : 0),
      alarm_(executor) {}

Pass::~Pass() = default;

Awaitable<PassResult> Pass::run() {
  while (!stopping_ && !finished_) {
    const auto wait = co_await turn();
    events_.turned(journeys_.size());
    if (!stopping_ && !finished_) co_await pause(wait);
  }
  co_await drain();
  co_return result_;
}

/// One takeover at most; returns how long to wait for the next turn.
Awaitable<Duration> Pass::turn() {
  const int at_most = wanted();
  starved_ = at_most == 0;
  if (starved_) co_return wait_for_room();
  const bool reading_back = doubt_.has_value();
  auto takeover = co_await take_over(at_most);
  if (!takeover) {
    if (once_ && !doubt_) finished_ = result_.database_down = true;
    co_return next_try(database_failures_, chance());
  }
  // What was read back says nothing of what else is due.
  if (reading_back || std::ssize(takeover->leases) >= at_most) co_return Duration::zero();
  // Fewer than asked: nothing else is due, or somebody holds it locked. Either way the next moment
  // to try is known.
  if (!once_) co_return co_await until_next_due(takeover->as_of);
  finished_ = journeys_.empty();
  co_return terms_->poll_interval;
}

/// Nothing may be taken over now: until a slot is free (which wakes the loop), or the provider may
/// be asked again.
Duration Pass::wait_for_room() {
  if (once_ && (!terms_->enabled || (left_ <= 0 && journeys_.empty()))) finished_ = true;
  const auto now = SteadyClock::now();
  const bool provider_waits = health_.allowance(now) == 0;
  if (once_ && provider_waits && journeys_.empty()) finished_ = result_.provider_down = true;
  const auto change = health_.next_change(now);
  if (!provider_waits || !change) return terms_->poll_interval;
  return std::clamp(std::chrono::ceil<Duration>(*change - now), Duration{1ms},
                    terms_->poll_interval);
}

/// How many operations may be taken over now, so that none queues behind its lease.
int Pass::wanted() {
  if (!terms_->enabled) return 0;
  const auto now = SteadyClock::now();
  const int slots = terms_->max_in_flight - looking_;
  const int room = kInFlightMost * terms_->max_in_flight - static_cast<int>(journeys_.size());
  int at_most = std::min(slots, room);
  if (once_) at_most = static_cast<int>(std::min<std::int64_t>(at_most, left_));
  if (at_most <= 0) return 0;
  if (const auto allowed = health_.allowance(now)) at_most = std::min(at_most, *allowed);
  return std::max(
      0, std::min(at_most, terms_->rate_limit->available(now, terms_->lookup_timeout / 2)));
}

Awaitable<std::optional<Takeover>> Pass::take_over(int at_most) {
  const auto before = begun_;
  const auto probed = health_.available() ? std::nullopt : health_.last_probed();
  auto takeover = co_await take_over_once(at_most, probed);
  // Not the same operation twice in a row, unless it is the only one: asking must go on (design
  // G8).
  if (takeover && takeover->leases.empty() && probed)
    takeover = co_await take_over_once(at_most, std::nullopt);
  if (!health_.available() && begun_ == before) health_.probe_not_sent(SteadyClock::now());
  co_return takeover;
}

Awaitable<std::optional<Takeover>> Pass::take_over_once(int at_most,
                                                        std::optional<OperationId> not_this) {
  const bool reading_back = doubt_.has_value();
  if (!doubt_) doubt_ = Doubt{random_owner_token(), SteadyClock::now()};
  TakeoverRequest request{at_most, doubt_->token, terms_->lease, std::nullopt, not_this};
  if (once_) request.due_before = once_->due_before;
  // One await, not two in a conditional: g++ 12 destroys the wrong temporaries of such an
  // expression.
  auto question =
      reading_back ? store_.read_back_takeover(doubt_->token) : store_.take_over(request);
  auto taken = co_await std::move(question);
  if (!taken) {
    const auto& error = taken.error();
    events_.database_failed(error);
    ++database_failures_;
    // What cannot be read back while its lease runs is somebody else's by then.
    const bool over = SteadyClock::now() > doubt_->began + terms_->lease;
    if (over || (!reading_back && error.trouble != sql::Trouble::in_doubt)) doubt_.reset();
    co_return std::nullopt;
  }
  events_.database_works();
  database_failures_ = 0;
  const auto work_until = doubt_->began + terms_->lease - terms_->lease_margin;
  doubt_.reset();
  left_ -= std::ssize(taken->leases);
  for (auto& lease : taken->leases) begin(std::move(lease), work_until);
  co_return std::move(*taken);
}

Awaitable<Duration> Pass::until_next_due(DatabaseTime as_of) {
  const auto next = co_await store_.next_due(as_of);
  if (!next) {
    events_.database_failed(next.error());
    co_return next_try(++database_failures_, chance());
  }
  co_return std::clamp(next->value_or(terms_->poll_interval), Duration::zero(),
                       terms_->poll_interval);
}

/// Waits, but turns no rarer than the heartbeat, and ends at once when woken.
Awaitable<void> Pass::pause(Duration wait) {
  wake_within(wait);
  while (!stopping_ && SteadyClock::now() < wake_at_) {
    alarm_.expires_at(std::min(wake_at_, SteadyClock::now() + terms_->heartbeat));
    co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
    events_.turned(journeys_.size());
  }
  wake_at_ = SteadyTime::max();
}

/// Also while a turn is running: the pause after it is then no longer than this.
void Pass::wake_within(Duration wait) {
  const auto at = SteadyClock::now() + wait;
  if (at >= wake_at_) return;
  wake_at_ = at;
  alarm_.cancel();
}

void Pass::wake() { wake_within(Duration::zero()); }

void Pass::stop() {
  stopping_ = true;
  wake();
}

void Pass::replace_terms(std::shared_ptr<const Terms> terms) {
  terms_ = std::move(terms);
  wake();
}

}  // namespace reconciled
