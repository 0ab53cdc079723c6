// SPDX-License-Identifier: Apache-2.0
#include "daemon/backlog.hpp"

#include <algorithm>

namespace reconciled {
namespace {

// The columns of measure.sql, in their order there.
enum Column : std::size_t {
  kNow,
  kConsumptionRows,
  kStatus,
  kReason,
  kOperations,
  kDue,
  kOldestDue,
  kOldestCreated
};

Duration age(const sql::Rows& rows, std::size_t row, Column column) {
  return rows.is_null(row, column) ? Duration{} : Duration{rows.integer(row, column)};
}

}  // namespace

Backlog read_backlog(const sql::Rows& rows) {
  Backlog backlog;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    backlog.now = {Duration{rows.integer(row, kNow)}};
    if (!rows.is_null(row, kConsumptionRows))
      backlog.consumption_rows = rows.integer(row, kConsumptionRows);
    if (rows.is_null(row, kStatus)) continue;
    const std::string status(rows.text(row, kStatus));
    backlog.operations[{status, std::string(rows.text(row, kReason))}] =
        rows.integer(row, kOperations);
    backlog.due += rows.integer(row, kDue);
    backlog.oldest_due = std::max(backlog.oldest_due, age(rows, row, kOldestDue));
    if (status == "NeedsReconciliation")
      backlog.oldest_needs_reconciliation =
          std::max(backlog.oldest_needs_reconciliation, age(rows, row, kOldestCreated));
  }
  return backlog;
}

void BacklogGauges::show(const Backlog& backlog, HostTime host_now) {
  metrics_.gauge("reconciled_due_operations").Set(static_cast<double>(backlog.due));
  metrics_.gauge("reconciled_oldest_due_age_seconds").Set(seconds(backlog.oldest_due));
  metrics_.gauge("reconciled_needs_reconciliation_age_seconds")
      .Set(seconds(backlog.oldest_needs_reconciliation));
  metrics_.gauge("reconciled_clock_offset_seconds")
      .Set(seconds(backlog.now.since_epoch - host_now.since_epoch));
  if (backlog.consumption_rows)
    metrics_.gauge("reconciled_consumption_rows")
        .Set(static_cast<double>(*backlog.consumption_rows));
  if (cut_off_)
    metrics_.gauge("reconciled_cleanup_cutoff_age_seconds").Set(seconds(backlog.now - *cut_off_));
  // A series that ends looks like one that stands still; a zero does not.
  for (auto& [key, gauge] : shown_)
    if (!backlog.operations.contains(key)) gauge->Set(0);
  for (const auto& [key, operations] : backlog.operations) {
    auto& gauge = shown_[key];
    if (gauge == nullptr)
      gauge = &metrics_.gauge("reconciled_unresolved_operations", {key.first, key.second});
    gauge->Set(static_cast<double>(operations));
  }
}

}  // namespace reconciled
