// SPDX-License-Identifier: Apache-2.0
// The duty that cleans up, beside recovery: a connection, a role and a rhythm of its own. Whatever
// happens to it, recovery goes on.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/cleanup_log.hpp"
#include "daemon/configuration.hpp"
#include "retention/sql_store.hpp"
#include "retention/sweep.hpp"

namespace reconciled {

class CleanupDuty {
 public:
  /// log, metrics and gauges must outlive the duty. Connects when it first sweeps.
  CleanupDuty(const boost::asio::any_io_executor& executor, const Configuration& configuration,
              Log& log, Metrics& metrics, BacklogGauges& gauges);

  /// From now on, until stop().
  void start();
  /// What may go now; then the end (--once).
  Awaitable<void> sweep_once();
  /// After stop(): until the statement that runs has come to its end. The database's deadlines
  /// bound it.
  Awaitable<void> ended();

  void stop() { sweeper_.stop(); }
  void reload(const Settings& settings);

 private:
  Awaitable<void> clean_up();
  Awaitable<void> warn_of_bound();

  boost::asio::any_io_executor executor_;
  Log& log_;
  CleanupLog events_;
  sql::Database database_;
  SqlCleanupStore store_;
  std::shared_ptr<const CleanupTerms> terms_;
  Sweeper sweeper_;
  bool running_ = false;
  boost::asio::steady_timer has_ended_;
};

}  // namespace reconciled
