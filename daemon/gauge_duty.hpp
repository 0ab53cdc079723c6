// SPDX-License-Identifier: Apache-2.0
// The duty that keeps the database's gauges current while somebody scrapes them. It asks rarely,
// and the rarer the longer the answer takes, so that a large backlog is not made worse by being
// counted.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "base/awaitable.hpp"
#include "daemon/backlog.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// How long until the next measurement may be made, after one that took so long: at least 15s and
/// a poll interval, and at least a hundred times what it took.
Duration until_next_measurement(Duration poll_interval, Duration took) noexcept;

class GaugeDuty {
 public:
  /// database and gauges must outlive the duty. `scrapes` counts the scrapes so far; nobody is
  /// measured for when it stands still.
  GaugeDuty(const boost::asio::any_io_executor& executor, sql::Database& database,
            BacklogGauges& gauges, std::function<std::uint64_t()> scrapes);

  /// Until stop(). A failure leaves the gauges as they were: the pass tells of the database.
  Awaitable<void> run(Duration poll_interval);
  void stop();

 private:
  Awaitable<void> measure();
  Awaitable<void> wait(Duration span);

  sql::Database& database_;
  BacklogGauges& gauges_;
  const std::function<std::uint64_t()> scrapes_;
  boost::asio::steady_timer alarm_;
  bool stopping_ = false;
};

}  // namespace reconciled
