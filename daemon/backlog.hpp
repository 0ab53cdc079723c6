// SPDX-License-Identifier: Apache-2.0
// What is in the database without an outcome, as one statement sees it, and the gauges that show
// it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/time.hpp"
#include "base/time_of_host.hpp"
#include "daemon/metrics.hpp"
#include "sql/rows.hpp"

namespace reconciled {

struct Backlog {
  DatabaseTime now;
  std::optional<std::int64_t> consumption_rows;  ///< nullopt: the server has no estimate
  std::int64_t due = 0;
  Duration oldest_due{};                   ///< age; zero: nothing is due
  Duration oldest_needs_reconciliation{};  ///< age; zero: nobody is waited for
  /// Operations by status and reason; the reason is empty where nothing was recorded yet.
  std::map<std::pair<std::string, std::string>, std::int64_t> operations;
};

/// Of the rows of measure.sql.
Backlog read_backlog(const sql::Rows& rows);

class BacklogGauges {
 public:
  /// `metrics` must outlive this.
  explicit BacklogGauges(Metrics& metrics) : metrics_(metrics) {}

  void show(const Backlog& backlog, HostTime host_now);
  /// The cut-off of a sweep; its age is shown from the next backlog on.
  void cut_off(DatabaseTime at) { cut_off_ = at; }

 private:
  Metrics& metrics_;
  std::map<std::pair<std::string, std::string>, Gauge*> shown_;
  std::optional<DatabaseTime> cut_off_;
};

}  // namespace reconciled
