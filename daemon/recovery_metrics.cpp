// SPDX-License-Identifier: Apache-2.0
#include "daemon/recovery_metrics.hpp"

#include "base/time_of_host.hpp"

namespace reconciled {
namespace {

class MeasuredProvider final : public Provider {
 public:
  MeasuredProvider(std::shared_ptr<Provider> provider, Metrics& metrics)
      : provider_(std::move(provider)),
        metrics_(metrics),
        duration_(metrics.histogram("reconciled_lookup_duration_seconds")) {}

  Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                          SteadyTime until) override {
    Look look = co_await provider_->look_up(operation, as_of, until);
    duration_.Observe(seconds(look.duration));
    counter(look.finding).Increment();
    co_return look;
  }

 private:
  Counter& counter(const Finding& finding) {
    auto& known = by_finding_[finding.index()];
    if (known == nullptr) known = &metrics_.counter("reconciled_lookups_total", {word(finding)});
    return *known;
  }

  const std::shared_ptr<Provider> provider_;
  Metrics& metrics_;
  Histogram& duration_;
  std::map<std::size_t, Counter*> by_finding_;
};

void raise(Counter& counter, std::uint64_t to) {
  counter.Increment(static_cast<double>(to) - counter.Value());
}

}  // namespace

RecoveryMetrics::RecoveryMetrics(Metrics& metrics)
    : metrics_(metrics),
      takeovers_(metrics.counter("reconciled_takeovers_total")),
      ownership_lost_(metrics.counter("reconciled_ownership_lost_total")),
      late_credits_(metrics.counter("reconciled_late_credits_total")),
      commits_in_doubt_(metrics.counter("reconciled_commits_in_doubt_total")),
      time_to_outcome_(metrics.histogram("reconciled_time_to_outcome_seconds")),
      provider_available_(metrics.gauge("reconciled_provider_available")),
      database_up_(metrics.gauge("reconciled_database_up")),
      last_pass_(metrics.gauge("reconciled_last_pass_timestamp_seconds")),
      log_suppressed_(metrics.counter("reconciled_log_suppressed_total")),
      log_dropped_(metrics.counter("reconciled_log_dropped_total")) {
  provider_available(true);
  database_works();
  // An alert on a counter that appears with its first increment would miss that increment.
  for (const auto reason : {Reason::duplicate, Reason::mismatch, Reason::reversed})
    recorded_as(Decision::needs_reconciliation, reason);
}

void RecoveryMetrics::recorded(const Lease& lease, const Verdict& verdict, SteadyTime now) {
  recorded_as(verdict.decision, verdict.reason).Increment();
  if (verdict.decision == Decision::unknown) return;
  const auto since_takeover = std::chrono::floor<Duration>(now - lease.taken_at);
  time_to_outcome_.Observe(seconds(lease.as_of - lease.due_since + since_takeover));
}

void RecoveryMetrics::database_failed(const sql::Error& error) {
  database_up_.Set(0);
  if (error.trouble == sql::Trouble::in_doubt) commits_in_doubt_.Increment();
}

void RecoveryMetrics::turned(std::uint64_t log_suppressed, std::uint64_t log_dropped) {
  last_pass_.Set(seconds(host_time().since_epoch));
  raise(log_suppressed_, log_suppressed);
  raise(log_dropped_, log_dropped);
}

Counter& RecoveryMetrics::recorded_as(Decision decision, Reason reason) {
  auto& known = recorded_[{decision, reason}];
  if (known == nullptr)
    known =
        &metrics_.counter("reconciled_operations_recorded_total", {word(decision), word(reason)});
  return *known;
}

std::shared_ptr<Provider> measured(std::shared_ptr<Provider> provider, Metrics& metrics) {
  return std::make_shared<MeasuredProvider>(std::move(provider), metrics);
}

}  // namespace reconciled
