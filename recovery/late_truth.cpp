// SPDX-License-Identifier: Apache-2.0
#include "recovery/late_truth.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "recovery/evidence_detail.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

bool took_effect(const Credit& credit) { return credit.state != CreditState::failed; }

}  // namespace

LateWord judge_late(const LateCase& seen, const Look& look, const Guarantees& promised) {
  LateWord word;
  // Never given up on here, and never a contradiction: only what is there now counts.
  word.verdict = judge(seen.operation, look.finding, promised, {}, {Duration::max() / 4},
                       ProviderCondition::normal, seen.as_of);
  if (const auto* credits = credits_in(look.finding))
    word.credit = std::ranges::any_of(*credits, took_effect);
  return word;
}

LateTruth::LateTruth(const asio::any_io_executor& executor, LateStore& store, LookBeside look,
                     Events& events, LateEvents& late_events, std::shared_ptr<const Terms> terms)
    : store_(store),
      look_(std::move(look)),
      events_(events),
      late_events_(late_events),
      terms_(std::move(terms)),
      holder_(random_owner_token()),
      alarm_(executor) {}

Awaitable<void> LateTruth::run() {
  while (!stopping_) {
    const auto wait = co_await turn();
    co_await pause(wait);
  }
}

/// What is due now, one after the other; returns how long to wait for the next turn.
Awaitable<Duration> LateTruth::turn() {
  const auto terms = terms_;
  if (!terms->enabled) co_return terms->late_truth;
  const LateTurnRequest request{holder_, terms->lease, terms->late_truth, terms->late_truth_for,
                                kBatch};
  const auto mine = co_await store_.take_turn(request);
  if (!mine) {
    events_.database_failed(mine.error());
    co_return kNotNow;
  }
  events_.database_works();
  for (const auto& seen : mine->cases) {
    if (stopping_) break;
    const bool go_on = co_await look_at(seen, *terms);
    if (!go_on) co_return kNotNow;
  }
  if (static_cast<std::int64_t>(mine->cases.size()) == kBatch) co_return Duration::zero();
  // What is left to a person from now on, and what was just looked at, is due in late_truth.
  co_return std::clamp(mine->wait.value_or(terms->late_truth), Duration::zero(), terms->late_truth);
}

/// False if going on makes no sense now.
Awaitable<bool> LateTruth::look_at(const LateCase& seen, const Terms& terms) {
  looking_ = true;
  const auto look = co_await look_(seen.operation, seen.as_of);
  looking_ = false;
  if (!look) co_return false;
  const auto word = judge_late(seen, *look, terms.guarantees);
  LateEntry entry;
  entry.holder = holder_;
  entry.turn = terms.lease;
  entry.seen = seen;
  entry.word = word;
  entry.finding = reconciled::word(look->finding);
  entry.http_status = look->http_status;
  entry.pages = look->pages;
  entry.duration = look->duration;
  entry.detail = evidence_detail(*look);
  const auto recorded = co_await store_.record(std::move(entry));
  if (!recorded) {
    events_.database_failed(recorded.error());
    co_return false;
  }
  if (*recorded && word.credit) late_events_.late_truth(seen, *look, word);
  co_return *recorded;
}

Awaitable<void> LateTruth::pause(Duration wait) {
  const auto until = SteadyClock::now() + wait;
  while (!stopping_ && !woken_ && SteadyClock::now() < until) {
    alarm_.expires_at(until);
    co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  woken_ = false;
}

void LateTruth::stop() {
  stopping_ = true;
  alarm_.cancel();
  if (looking_) cancel_.emit(asio::cancellation_type::terminal);
}

void LateTruth::replace_terms(std::shared_ptr<const Terms> terms) {
  terms_ = std::move(terms);
  woken_ = true;
  alarm_.cancel();
}

}  // namespace reconciled
