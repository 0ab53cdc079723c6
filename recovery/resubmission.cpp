// SPDX-License-Identifier: Apache-2.0
#include "recovery/resubmission.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// Who refuses a connection now may not a little later.
constexpr Duration kBetweenSends = 250ms;

CreateAnswer not_sent(std::string why) {
  CreateAnswer answer;
  answer.result = CreateResult::not_sent;
  answer.finding = Unreachable{std::move(why)};
  answer.signal = {ProviderSignal::Kind::not_asked};
  return answer;
}

Attempt not_permitted(const Permit& permit) {
  Attempt attempt;
  attempt.why_not = permit.hindrance.empty() ? permit.decision : permit.hindrance;
  // Allowed, and while it was asked the lease or the window came to its end.
  if (attempt.why_not == "Allowed") attempt.why_not = "too-late";
  return attempt;
}

}  // namespace

Resubmission::Resubmission(std::shared_ptr<AttemptStore> store, std::shared_ptr<Creator> creator,
                           AttemptTerms terms)
    : store_(std::move(store)), creator_(std::move(creator)), terms_(std::move(terms)) {}

Awaitable<Attempt> Resubmission::attempt(const Lease& lease, const Look& look,
                                         const std::function<bool()>& stopping) {
  // Computed once: every send of this attempt has the same key and the same bytes.
  const auto request = creator_->request(lease.operation);
  if (const auto* lacking = std::get_if<Unfillable>(&request))
    co_return Attempt{{}, "create lacks " + lacking->missing + lacking->unsafe, {}};
  const auto before = SteadyClock::now();
  auto question = plan_permit(lease, look, terms_);
  const auto permit = co_await store_->permit(std::move(question));
  Attempt attempt;
  if (!permit) {
    attempt.error = permit.error();
    attempt.why_not = co_await deferred(lease, *attempt.error);
    co_return attempt;
  }
  if (!permit->may_send) co_return not_permitted(*permit);
  const auto start_before = before + permit->send_within;
  attempt.answer = co_await send(lease, std::get<HttpRequest>(request), start_before, stopping);
  co_return attempt;
}

Awaitable<CreateAnswer> Resubmission::send(const Lease& lease, const HttpRequest& request,
                                           SteadyTime start_before,
                                           const std::function<bool()>& stopping) {
  using Next = AttemptSends::Next;
  AttemptSends sends;
  CreateAnswer answer;
  for (;;) {
    if (stopping()) co_return not_sent("not sent: reconciled is stopping");
    const auto until = create_ends(lease, terms_, SteadyClock::now());
    answer = co_await creator_->create(lease.operation, request, start_before, until);
    const auto next = sends.after(answer.result);
    if (next == Next::done) co_return answer;
    if (next == Next::refresh_credential && !creator_->refresh_credential()) co_return answer;
    if (next == Next::send_again) {
      asio::steady_timer timer{co_await asio::this_coro::executor, kBetweenSends};
      co_await timer.async_wait(asio::use_awaitable);
    }
    const bool may = co_await may_send_again(lease);
    if (!may || SteadyClock::now() >= start_before) co_return answer;
  }
}

Awaitable<bool> Resubmission::may_send_again(const Lease& lease) {
  const auto owned = lease.ownership();
  const auto may = co_await store_->may_send_again(owned);
  co_return may&&* may;
}

/// The statement changed nothing, or its fate is not known; either way nothing is sent. What the
/// server refused is evidence, if the operation is still ours. Returns why nothing was sent.
Awaitable<std::string> Resubmission::deferred(const Lease& lease, const sql::Error& error) {
  if (error.trouble != sql::Trouble::refused) co_return "database";
  const auto owned = lease.ownership();
  const auto noted = co_await store_->defer(owned, error.sqlstate);
  if (!noted) co_return "database";
  co_return *noted ? "CannotDetermine" : "ownership-lost";
}

}  // namespace reconciled
