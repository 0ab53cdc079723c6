// SPDX-License-Identifier: Apache-2.0
// The journey of one operation, from takeover to record, and what becomes of it when the daemon
// stops.
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/chance.hpp"
#include "base/text.hpp"
#include "recovery/evidence_detail.hpp"
#include "recovery/pass.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// With fewer than half of the slots free, the loop waits this long for more: one half is taken
/// over while the other is looked up. A takeover for every single slot would cost more than the
/// wait.
constexpr int kRefillShare = 2;
constexpr Duration kRefillLinger = 5ms;
/// The end of a cancelled lookup is a matter of the loop's next turns.
constexpr Duration kCancelledWithin = 1s;

/// Evidence's detail of a lookup after which nothing was sent.
std::string evidence_detail(const Look& look, const std::optional<Attempt>& attempt) {
  auto text = evidence_detail(look);
  if (!attempt) return text;
  auto member = "\"create\":" + json_quoted(attempt->why_not);
  if (attempt->error && !attempt->error->sqlstate.empty())
    member += ",\"sqlstate\":" + json_quoted(attempt->error->sqlstate);
  if (text.empty()) return "{" + member + "}";
  return text.insert(text.size() - 1, "," + member);
}

/// What a create came to, as the look that it also is.
Look look_of(const CreateAnswer& answer) {
  return {.finding = answer.finding,
          .signal = answer.signal,
          .http_status = answer.http_status,
          .pages = 0,
          .duration = answer.duration};
}

Entry make_entry(const Lease& lease, const Look& look, const Verdict& verdict, const Terms& terms) {
  Entry entry;
  entry.ownership = lease.ownership();
  entry.verdict = verdict;
  entry.wait = next_look(terms.backoff, lease.owner_version, look.finding, chance());
  entry.finding = word(look.finding);
  entry.http_status = look.http_status;
  entry.pages = look.pages;
  entry.duration = look.duration;
  entry.detail = evidence_detail(look);
  entry.give_up_at = lease.work_until + terms.lease_margin;
  return entry;
}

}  // namespace

void Pass::begin(Lease lease, SteadyTime work_until) {
  lease.work_until = work_until;
  lease.taken_at = work_until + terms_->lease_margin - terms_->lease;
  // Read back late, or this process was stopped meanwhile: too little of the lease is left for a
  // look. It runs out.
  if (SteadyClock::now() + terms_->lookup_timeout > work_until) {
    ++result_.undecided;
    return;
  }
  events_.taken_over(lease);
  auto& journey = journeys_.emplace_back();
  journey.lease = std::move(lease);
  journey.terms = terms_;
  ++looking_;
  ++begun_;
  health_.started(journey.lease.operation.id, SteadyClock::now());
  asio::co_spawn(executor_, settle(journey),
                 asio::bind_cancellation_slot(
                     journey.cancel.slot(),
                     [this, &journey](const std::exception_ptr& why) { ended(journey, why); }));
}

/// The walk of one operation.
Awaitable<void> Pass::settle(Journey& journey) {
  const auto& lease = journey.lease;
  const auto& terms = journey.terms;
  Look look = co_await terms->provider->look_up(lease.operation, lease.as_of, lease.work_until);
  note_provider(journey, look.signal);
  Verdict verdict = judge(lease.operation, look.finding, terms->guarantees, lease.earlier,
                          terms->patience, health_.condition(lease.operation.id), lease.as_of);
  const auto attempt = co_await create_again(journey, look, verdict);
  looked(journey);
  const bool sent = attempt && attempt->answer;
  if (sent) {
    look = look_of(*attempt->answer);
    verdict = judge_create(lease.operation, *attempt->answer, terms->guarantees, lease.as_of);
  }
  Entry entry = make_entry(lease, look, verdict, *terms);
  if (sent) {
    entry.step = "create";
    entry.not_before = attempt->answer->not_before;
    entry.wait = std::max(entry.wait, entry.not_before.value_or(Duration::zero()));
  } else {
    entry.detail = evidence_detail(look, attempt);
  }
  const Recorded recorded = co_await recorder_.record(entry);
  tell(journey, look, entry, recorded);
}

/// nullopt: there is nothing to try, or nobody may.
Awaitable<std::optional<Attempt>> Pass::create_again(Journey& journey, const Look& look,
                                                     const Verdict& verdict) {
  const auto& lease = journey.lease;
  const auto resubmission = journey.terms->resubmission;
  if (!resubmission || !may_attempt(look, verdict)) co_return std::nullopt;
  // From here on nothing cancels the journey, so that none whose create was sent is handed back.
  journey.creating = true;
  const std::function<bool()> stopping = [this] { return drained_; };
  auto attempt = co_await resubmission->attempt(lease, look, stopping);
  // What the server refuses is the eligibility function's trouble, not the database's.
  if (attempt.error && attempt.error->trouble != sql::Trouble::refused)
    events_.database_failed(*attempt.error);
  if (attempt.why_not == "switched-off") events_.resubmission_off(lease, false);
  if (attempt.answer) {
    note_provider(journey, attempt.answer->signal);
    events_.resubmitted(lease, *attempt.answer);
  }
  co_return attempt;
}

/// The provider's health is known a little better.
void Pass::note_provider(const Journey& journey, const ProviderSignal& signal) {
  const auto change = health_.note(journey.lease.operation.id, signal, SteadyClock::now());
  if (change && change->available) events_.provider_available();
  if (change && !change->available) events_.provider_unavailable(change->why);
  if (change) wake();
}

/// The slot is free again.
void Pass::looked(Journey& journey) {
  journey.looking = journey.creating = false;
  --looking_;
  const bool plenty =
      terms_->max_in_flight - looking_ >= std::max(1, terms_->max_in_flight / kRefillShare);
  if (plenty || looking_ == 0)
    wake();
  else
    wake_within(kRefillLinger);
}

void Pass::tell(const Journey& journey, const Look& look, const Entry& entry, Recorded recorded) {
  const auto& verdict = entry.verdict;
  if (recorded == Recorded::yes) events_.recorded(journey.lease, look, verdict);
  // The database has turned it off in the transaction that recorded this.
  if (recorded == Recorded::yes && journey.terms->resubmission &&
      trips_resubmission(verdict.reason))
    events_.resubmission_off(journey.lease, true);
  if (recorded == Recorded::ownership_lost) events_.ownership_lost(journey.lease, verdict);
  const bool unknown = verdict.decision == Decision::unknown;
  if (recorded != Recorded::yes || unknown) ++result_.undecided;
  // The next look may come before the moment that the loop sleeps until.
  if (recorded == Recorded::yes && unknown && !once_) wake_within(until_next_look(journey, entry));
}

/// As record.sql chooses it. The bound counts from before the takeover was sent, so that the loop
/// wakes a little early for it and never late.
Duration Pass::until_next_look(const Journey& journey, const Entry& entry) {
  const auto& bound = entry.verdict.look_no_later_than;
  if (!bound) return entry.wait;
  const auto& lease = journey.lease;
  const auto left =
      std::chrono::floor<Duration>(lease.taken_at + (*bound - lease.as_of) - SteadyClock::now());
  return std::clamp(left, Duration::zero(), entry.wait);
}

void Pass::ended(Journey& journey, const std::exception_ptr& why) {
  if (journey.looking) {  // it was cancelled or broke: no answer will come from it
    --looking_;
    if (health_.last_probed() == journey.lease.operation.id)
      health_.probe_not_sent(SteadyClock::now());
  }
  if (why) ++result_.undecided;
  try {
    if (why) std::rethrow_exception(why);
  } catch (const boost::system::system_error& error) {
    if (error.code() == asio::error::operation_aborted && !journey.creating)
      abandoned_.push_back(journey.lease.ownership());
    else
      events_.defect(journey.lease.operation.id, error.what());
  } catch (const std::exception& error) {
    events_.defect(journey.lease.operation.id, error.what());
  }
  std::erase_if(journeys_, [&](const Journey& one) { return &one == &journey; });
  if (starved_ || once_ || stopping_ || finished_) wake();
}

Awaitable<void> Pass::drain() {
  const auto wait_until = [this](SteadyTime until) -> Awaitable<void> {
    while (!journeys_.empty() && SteadyClock::now() < until) {
      wake_at_ = SteadyTime::max();  // or the end of a journey would count as known already
      alarm_.expires_at(std::min(until, SteadyClock::now() + terms_->heartbeat));
      co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
      events_.turned(journeys_.size());
    }
  };
  co_await wait_until(SteadyClock::now() + terms_->drain_timeout);
  drained_ = true;
  for (auto& journey : journeys_)
    if (journey.looking && !journey.creating)
      journey.cancel.emit(asio::cancellation_type::terminal);
  co_await wait_until(SteadyClock::now() + kCancelledWithin);
  co_await hand_back();
}

/// Best effort: what cannot be handed back is found again when its lease has run out.
Awaitable<void> Pass::hand_back() {
  if (abandoned_.empty()) co_return;
  const auto given = co_await store_.hand_back(abandoned_);
  if (given)
    events_.handed_back(given->size());
  else
    events_.database_failed(given.error());
}

}  // namespace reconciled
