// SPDX-License-Identifier: Apache-2.0
// The duty that looks for late truth, beside recovery and inside its limits. Whatever happens to
// it, recovery goes on.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "daemon/event_log.hpp"
#include "recovery/late_truth.hpp"
#include "recovery/sql_late_store.hpp"

namespace reconciled {

class LateDuty {
 public:
  /// All references must outlive the duty. The role of `database` is recovery's.
  LateDuty(const boost::asio::any_io_executor& executor, sql::Database& database, Pass& pass,
           EventLog& events, std::shared_ptr<const Terms> terms, std::string instance);

  /// From now on, until stop().
  void start();
  /// After stop(): until nothing of it runs any more.
  Awaitable<void> ended();

  void stop() { late_truth_.stop(); }
  void replace_terms(std::shared_ptr<const Terms> terms) {
    late_truth_.replace_terms(std::move(terms));
  }

 private:
  void has_ended(const std::exception_ptr& why);

  boost::asio::any_io_executor executor_;
  EventLog& events_;
  SqlLateStore store_;
  LateTruth late_truth_;
  bool running_ = false;
  boost::asio::steady_timer ended_;
};

}  // namespace reconciled
