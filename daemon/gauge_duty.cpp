// SPDX-License-Identifier: Apache-2.0
#include "daemon/gauge_duty.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

constexpr Duration kMeasureInterval = 15s;
/// Of the time, at most one part in so many goes into measuring.
constexpr int kShare = 100;

}  // namespace

Duration until_next_measurement(Duration poll_interval, Duration took) noexcept {
  return std::max({kMeasureInterval, poll_interval, kShare * took});
}

GaugeDuty::GaugeDuty(const asio::any_io_executor& executor, sql::Database& database,
                     BacklogGauges& gauges, std::function<std::uint64_t()> scrapes)
    : database_(database), gauges_(gauges), scrapes_(std::move(scrapes)), alarm_(executor) {}

Awaitable<void> GaugeDuty::run(Duration poll_interval) {
  while (!stopping_) {
    const auto seen = scrapes_();
    const auto began = SteadyClock::now();
    co_await measure();
    const auto took = std::chrono::floor<Duration>(SteadyClock::now() - began);
    const auto span = until_next_measurement(poll_interval, took);
    do {
      co_await wait(span);
    } while (!stopping_ && scrapes_() == seen);
  }
}

Awaitable<void> GaugeDuty::measure() {
  const auto rows = co_await database_.run(sql::statements::measure, {});
  if (rows) gauges_.show(read_backlog(*rows), host_time());
}

Awaitable<void> GaugeDuty::wait(Duration span) {
  if (stopping_) co_return;
  alarm_.expires_after(span);
  co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
}

void GaugeDuty::stop() {
  stopping_ = true;
  alarm_.cancel();
}

}  // namespace reconciled
