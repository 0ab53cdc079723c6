// SPDX-License-Identifier: Apache-2.0
#include "daemon/metrics.hpp"

#include <set>
#include <sstream>

#include "daemon/backlog.hpp"
#include "daemon/gauge_duty.hpp"
#include "daemon/recovery_metrics.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

/// The value of a series as the page shows it; "absent" if it does not.
std::string value(const Metrics& metrics, const std::string& series) {
  std::istringstream lines(metrics.page());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
  return "absent";
}

const Verdict kDuplicate{Decision::needs_reconciliation, Reason::duplicate};
const Verdict kProven{Decision::succeeded, Reason::proven};

}  // namespace

TEST_CASE("the page names each metric that has a series, with its help and type", "[metrics]") {
  Metrics metrics;
  metrics.gauge("reconciled_due_operations").Set(3);
  const auto page = metrics.page();
  CHECK(page.find("# HELP reconciled_due_operations Unresolved operations whose lease has ended.\n"
                  "# TYPE reconciled_due_operations gauge\n"
                  "reconciled_due_operations 3\n") != std::string::npos);
  CHECK(page.find("# TYPE reconciled_lookup_duration_seconds histogram\n") != std::string::npos);
}

TEST_CASE("a counter without labels begins at zero, a gauge when it is known", "[metrics]") {
  const Metrics metrics;
  CHECK(value(metrics, "reconciled_takeovers_total") == "0");
  CHECK(value(metrics, "reconciled_cleanup_permitted") == "absent");
}

TEST_CASE("the table's names are prefixed, unique, and end as their type asks", "[metrics]") {
  std::set<std::string_view> names;
  for (const auto& kind : kMetrics) {
    INFO(kind.name);
    CHECK(kind.name.starts_with("reconciled_"));
    CHECK(names.insert(kind.name).second);
    CHECK(kind.name.ends_with("_total") == (kind.type == MetricType::counter));
    CHECK(kind.help.ends_with("."));
    for (const auto label : kind.labels) CHECK(label.find("id") == std::string_view::npos);
  }
}

TEST_CASE("more label values than the table has are a defect", "[metrics]") {
  Metrics metrics;
  CHECK_THROWS_AS(metrics.counter("reconciled_takeovers_total", {"x"}), std::logic_error);
}

TEST_CASE("a verdict is counted by status and reason, and an outcome is timed from the lease's end",
          "[metrics]") {
  Metrics metrics;
  RecoveryMetrics recovery(metrics);
  CHECK(value(metrics,
              "reconciled_operations_recorded_total{reason=\"duplicate\",status="
              "\"NeedsReconciliation\"}") == "0");
  Lease lease;
  lease.due_since = {100s};
  lease.as_of = {103s};
  const SteadyTime taken{50s};
  lease.taken_at = taken;
  recovery.recorded(lease, kDuplicate, taken + 1s);
  recovery.recorded(lease, kProven, taken + 3s);
  recovery.recorded(lease, {Decision::unknown, Reason::unreachable}, taken + 3s);
  CHECK(value(metrics,
              "reconciled_operations_recorded_total{reason=\"duplicate\",status="
              "\"NeedsReconciliation\"}") == "1");
  CHECK(value(metrics,
              "reconciled_operations_recorded_total{reason=\"unreachable\",status=\"Unknown\"}") ==
        "1");
  CHECK(value(metrics, "reconciled_time_to_outcome_seconds_count") == "2");
  CHECK(value(metrics, "reconciled_time_to_outcome_seconds_sum") == "10");
}

TEST_CASE("a database error is down until the next answer; one in doubt is counted", "[metrics]") {
  Metrics metrics;
  RecoveryMetrics recovery(metrics);
  CHECK(value(metrics, "reconciled_database_up") == "1");
  recovery.database_failed({sql::Trouble::not_connected});
  CHECK(value(metrics, "reconciled_database_up") == "0");
  CHECK(value(metrics, "reconciled_commits_in_doubt_total") == "0");
  recovery.database_failed({sql::Trouble::in_doubt});
  CHECK(value(metrics, "reconciled_commits_in_doubt_total") == "1");
  recovery.database_works();
  CHECK(value(metrics, "reconciled_database_up") == "1");
}

TEST_CASE("what the log suppressed and dropped is shown as it counts itself", "[metrics]") {
  Metrics metrics;
  RecoveryMetrics recovery(metrics);
  recovery.turned(5, 2);
  recovery.turned(7, 2);
  CHECK(value(metrics, "reconciled_log_suppressed_total") == "7");
  CHECK(value(metrics, "reconciled_log_dropped_total") == "2");
}

TEST_CASE("the backlog's gauges follow it, and a reason that nobody has any more shows zero",
          "[metrics]") {
  Metrics metrics;
  BacklogGauges gauges(metrics);
  Backlog backlog;
  backlog.now = {1000s};
  backlog.due = 4;
  backlog.oldest_due = 90s;
  backlog.operations = {{{"Admitted", ""}, 4}, {{"Unknown", "pending"}, 2}};
  gauges.show(backlog, {998s});
  CHECK(value(metrics, "reconciled_due_operations") == "4");
  CHECK(value(metrics, "reconciled_oldest_due_age_seconds") == "90");
  CHECK(value(metrics, "reconciled_clock_offset_seconds") == "2");
  CHECK(value(metrics, "reconciled_consumption_rows") == "absent");
  CHECK(value(metrics, "reconciled_cleanup_cutoff_age_seconds") == "absent");
  CHECK(value(metrics, "reconciled_unresolved_operations{reason=\"pending\",status=\"Unknown\"}") ==
        "2");
  backlog.operations.erase({"Unknown", "pending"});
  backlog.consumption_rows = 12;
  gauges.cut_off({400s});
  gauges.show(backlog, {998s});
  CHECK(value(metrics, "reconciled_unresolved_operations{reason=\"pending\",status=\"Unknown\"}") ==
        "0");
  CHECK(value(metrics, "reconciled_consumption_rows") == "12");
  CHECK(value(metrics, "reconciled_cleanup_cutoff_age_seconds") == "600");
}

TEST_CASE("measuring takes at most one part in a hundred of the time", "[metrics]") {
  CHECK(until_next_measurement(5s, 1ms) == 15s);
  CHECK(until_next_measurement(60s, 1ms) == 60s);
  CHECK(until_next_measurement(5s, 2s) == 200s);
}
