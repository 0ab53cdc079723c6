// SPDX-License-Identifier: Apache-2.0
// The one declaration of every metric (design section 11): what serves, documents, alerts on and
// draws them is checked against this table. A new metric is one row here and one call where it
// changes.
#pragma once

#include <array>
#include <string_view>

namespace reconciled {

enum class MetricType { counter, gauge, histogram };

struct MetricKind {
  std::string_view name;
  MetricType type;
  std::array<std::string_view, 2> labels;  ///< names; empty ones are none
  std::string_view help;                   ///< one sentence, without markup
};

inline constexpr MetricKind kMetrics[] = {
    {"reconciled_build_info", MetricType::gauge, {"version"}, "1, with the version that runs."},

    {"reconciled_operations_recorded_total",
     MetricType::counter,
     {"status", "reason"},
     "Verdicts that were recorded."},
    {"reconciled_takeovers_total", MetricType::counter, {}, "Operations that were taken over."},
    {"reconciled_ownership_lost_total",
     MetricType::counter,
     {},
     "Verdicts that were not written because another owner was faster."},
    {"reconciled_late_credits_total",
     MetricType::counter,
     {},
     "Looks that showed a credit of an operation that was left to a person."},
    {"reconciled_lookups_total",
     MetricType::counter,
     {"finding"},
     "Lookups at the provider, by what came back."},
    {"reconciled_lookup_duration_seconds",
     MetricType::histogram,
     {},
     "How long lookups took, all pages and waits included."},
    {"reconciled_time_to_outcome_seconds",
     MetricType::histogram,
     {},
     "From the end of a lease until Succeeded or NeedsReconciliation was recorded."},
    {"reconciled_commits_in_doubt_total",
     MetricType::counter,
     {},
     "Statements whose answer was lost, and which were read back."},
    {"reconciled_last_pass_timestamp_seconds",
     MetricType::gauge,
     {},
     "When the pass loop last turned, by the host's clock."},

    {"reconciled_due_operations",
     MetricType::gauge,
     {},
     "Unresolved operations whose lease has ended."},
    {"reconciled_oldest_due_age_seconds",
     MetricType::gauge,
     {},
     "How long ago the oldest of these leases ended."},
    {"reconciled_unresolved_operations",
     MetricType::gauge,
     {"status", "reason"},
     "Operations without an outcome: Admitted, Unknown and NeedsReconciliation, by the reason "
     "recorded last."},
    {"reconciled_needs_reconciliation_age_seconds",
     MetricType::gauge,
     {},
     "How long ago the oldest operation that waits for a person was admitted."},
    {"reconciled_consumption_rows",
     MetricType::gauge,
     {},
     "Rows of grant_consumptions, as the server's statistics estimate them."},
    {"reconciled_clock_offset_seconds",
     MetricType::gauge,
     {},
     "How far the database's clock is ahead of this host's."},

    {"reconciled_provider_available",
     MetricType::gauge,
     {},
     "1 while the provider is asked; 0 while only probes go out."},
    {"reconciled_database_up",
     MetricType::gauge,
     {},
     "1 if the last statement was answered, 0 if it failed."},

    {"reconciled_cleanup_deleted_total",
     MetricType::counter,
     {"table"},
     "Rows that the cleanup deleted."},
    {"reconciled_cleanup_permitted",
     MetricType::gauge,
     {},
     "1 after a sweep that nothing refused, 0 while something refuses; absent while the cleanup is "
     "off."},
    {"reconciled_cleanup_cutoff_age_seconds",
     MetricType::gauge,
     {},
     "How far the cut-off of the last sweep lies behind the database's clock."},

    {"reconciled_config_reload_success",
     MetricType::gauge,
     {},
     "1 if the configuration read last is in force, 0 if it was rejected."},
    {"reconciled_log_suppressed_total",
     MetricType::counter,
     {},
     "Events that were not logged because they repeated others."},
    {"reconciled_log_dropped_total",
     MetricType::counter,
     {},
     "Events that were lost because nobody read the log."},
};

namespace detail {
/// Not constexpr: to call it while a name is compiled is an error that shows this name.
void this_metric_is_not_in_the_table_with_this_type();
}  // namespace detail

/// A metric's name, checked against the table when it is compiled.
template <MetricType kType>
class MetricName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is meant to do.
  consteval MetricName(const char* name) : kind_(find(name)) {}
  const MetricKind& kind() const noexcept { return *kind_; }

 private:
  static consteval const MetricKind* find(std::string_view name) {
    for (const auto& kind : kMetrics)
      if (kind.name == name && kind.type == kType) return &kind;
    detail::this_metric_is_not_in_the_table_with_this_type();
    return nullptr;
  }

  const MetricKind* kind_;
};

}  // namespace reconciled
