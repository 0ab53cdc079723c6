// SPDX-License-Identifier: Apache-2.0
#include "reconcile/lookup.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled {
namespace {

constexpr int kUnauthorised = 401;

bool is_unauthorised(const HttpReply& reply) noexcept {
  const auto* const answer = std::get_if<HttpAnswer>(&reply);
  return answer != nullptr && answer->status == kUnauthorised;
}

}  // namespace

HttpProvider::HttpProvider(const Profile& profile, HttpClient& client, RateLimit& rate_limit,
                           Duration timeout, ReadCredential read_credential)
    : profile_(profile),
      client_(client),
      rate_limit_(rate_limit),
      timeout_(timeout),
      read_credential_(std::move(read_credential)) {}

/// The requests of one lookup, each at its turn and under one deadline.
class HttpProvider::Exchange {
 public:
  Exchange(HttpProvider& provider, SteadyTime deadline)
      : provider_(provider), deadline_(deadline) {}

  /// nullopt: the deadline came before the request's turn.
  Awaitable<std::optional<HttpReply>> answer(const HttpRequest& request) {
    auto reply = co_await paced(request);
    if (reply && is_unauthorised(*reply) && credential_changed()) {
      reply = co_await paced(request);
    }
    co_return reply;
  }

 private:
  Awaitable<std::optional<HttpReply>> paced(const HttpRequest& request) {
    const auto now = SteadyClock::now();
    const auto turn = provider_.rate_limit_.reserve(now);
    if (turn >= deadline_ || now >= deadline_) co_return std::nullopt;
    if (turn > now) {
      boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, turn};
      co_await timer.async_wait(boost::asio::use_awaitable);
    }
    co_return co_await provider_.client_.send(request, deadline_);
  }

  /// The credential may have been exchanged since we read it. It is read again once a lookup.
  bool credential_changed() {
    auto& client = provider_.client_;
    if (reread_ || !provider_.read_credential_) return false;
    reread_ = true;
    auto fresh = provider_.read_credential_();
    if (!fresh || *fresh == client.credential()) return false;
    client.set_credential(std::move(*fresh));
    return true;
  }

  HttpProvider& provider_;
  SteadyTime deadline_;
  bool reread_ = false;
};

Awaitable<Look> HttpProvider::look_up(const Operation& operation, DatabaseTime as_of,
                                      SteadyTime until) {
  const auto start = SteadyClock::now();
  Exchange exchange{*this, std::min(until, start + timeout_)};
  Scan scan{profile_, operation, as_of};
  auto step = scan.begin();
  // Bounded by the profile's max_pages, inside the scan, and by the deadline.
  while (const auto* const request = std::get_if<HttpRequest>(&step)) {
    const auto reply = co_await exchange.answer(*request);
    if (!reply) {
      step = scan.out_of_time(false);
      break;
    }
    step = scan.next(*reply);
  }
  co_return Look{.finding = std::get<Finding>(step),
                 .signal = scan.signal(),
                 .http_status = scan.http_status(),
                 .pages = scan.pages(),
                 .duration = std::chrono::floor<Duration>(SteadyClock::now() - start)};
}

}  // namespace reconciled
