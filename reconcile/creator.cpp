// SPDX-License-Identifier: Apache-2.0
#include "reconcile/creator.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled {

HttpCreator::HttpCreator(const Profile& profile, HttpClient& client, RateLimit& rate_limit,
                         HttpProvider::ReadCredential read_credential)
    : profile_(profile),
      client_(client),
      rate_limit_(rate_limit),
      read_credential_(std::move(read_credential)) {}

std::variant<HttpRequest, Unfillable> HttpCreator::request(const Operation& operation) const {
  return write_create(profile_, operation);
}

Awaitable<HttpReply> HttpCreator::send(const HttpRequest& request, SteadyTime start_before,
                                       SteadyTime until) {
  const auto now = SteadyClock::now();
  const auto turn = rate_limit_.reserve(now);
  if (std::max(turn, now) >= std::min(start_before, until))
    co_return HttpFailure{false, "the time to send it passed before its turn came"};
  if (turn > now) {
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor, turn};
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
  co_return co_await client_.send(request, until, start_before);
}

Awaitable<CreateAnswer> HttpCreator::create(const Operation& operation, const HttpRequest& request,
                                            SteadyTime start_before, SteadyTime until) {
  const auto start = SteadyClock::now();
  const auto reply = co_await send(request, start_before, until);
  auto answer = read_created(profile_, operation, reply);
  answer.duration = std::chrono::floor<Duration>(SteadyClock::now() - start);
  co_return answer;
}

bool HttpCreator::refresh_credential() {
  if (!read_credential_) return false;
  auto fresh = read_credential_();
  if (!fresh || *fresh == client_.credential()) return false;
  client_.set_credential(std::move(*fresh));
  return true;
}

}  // namespace reconciled
