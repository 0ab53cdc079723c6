// SPDX-License-Identifier: Apache-2.0
#include "daemon/relations.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/settings_table.hpp"

namespace reconciled {
namespace {

Holds holds_if(bool condition) { return condition ? Holds::yes : Holds::no; }

/// "10s + 2 × 5s = 20s": how a number came about, and the number.
std::string sum_text(const std::string& parts, Duration sum) {
  return parts + " = " + to_string(sum);
}

void calls_fit_leases(std::vector<Relation>& all, const Timings& t) {
  const std::pair<const char*, Duration> calls[] = {
      {"billing_call_timeout", t.billing_call_timeout},
      {"store_call_timeout", t.store_call_timeout}};
  const std::pair<const char*, Duration> leases[] = {{"execution_lease", t.execution_lease},
                                                     {"recovery_lease", t.recovery_lease}};
  for (const auto& [call_name, call] : calls)
    for (const auto& [lease_name, lease] : leases) {
      const auto limit = lease - t.lease_margin;
      all.push_back(
          {fmt::format("{} < {} - lease_margin", call_name, lease_name), to_string(call),
           sum_text(to_string(lease) + " - " + to_string(t.lease_margin), limit),
           holds_if(call < limit),
           fmt::format("a call could outlive the lease it is made under: raise {} or lower "
                       "{}",
                       lease_name, call_name)});
    }
}

void execution_fits(std::vector<Relation>& all, const Timings& t) {
  const auto needed =
      t.billing_call_timeout + 2 * t.store_call_timeout + t.replication_wait_bound + t.lease_margin;
  all.push_back(
      {"execution_lease > billing_call_timeout + 2 × store_call_timeout + replication_wait_bound + "
       "lease_margin",
       to_string(t.execution_lease),
       sum_text(fmt::format("{} + 2 × {} + {} + {}", to_string(t.billing_call_timeout),
                            to_string(t.store_call_timeout), to_string(t.replication_wait_bound),
                            to_string(t.lease_margin)),
                needed),
       holds_if(t.execution_lease > needed),
       "an operation could be taken over while the service still works on it: raise "
       "execution_lease"});
}

void recovery_fits(std::vector<Relation>& all, const Settings& s) {
  const auto& t = s.timings;
  const auto have = t.recovery_lease - t.lease_margin;
  // A create is one more call to the provider, asking for eligibility one more statement.
  const int calls = s.recovery.resubmit ? 2 : 1;
  const int statements = s.recovery.resubmit ? 3 : 2;
  const auto needed = calls * s.provider.timeout + statements * s.database.statement_timeout;
  all.push_back(
      {fmt::format("recovery_lease - lease_margin > {}provider.timeout + {} × "
                   "database.statement_timeout",
                   calls == 1 ? "" : "2 × ", statements),
       sum_text(to_string(t.recovery_lease) + " - " + to_string(t.lease_margin), have),
       sum_text(
           fmt::format("{}{} + {} × {}", calls == 1 ? "" : "2 × ", to_string(s.provider.timeout),
                       statements, to_string(s.database.statement_timeout)),
           needed),
       holds_if(have > needed),
       "a takeover could end before its lookup is recorded: raise recovery_lease or lower "
       "provider.timeout"});
  all.push_back({"recovery.drain_timeout < recovery_lease", to_string(s.recovery.drain_timeout),
                 to_string(t.recovery_lease), holds_if(s.recovery.drain_timeout < t.recovery_lease),
                 "a daemon that stops could still work on what another has taken over: lower "
                 "recovery.drain_timeout"});
}

void window_fits_retention(std::vector<Relation>& all, const Timings& t,
                           const KeyRetention& retention) {
  Relation relation{"submission_window <= key_retention - provider_clock_margin",
                    to_string(t.submission_window), "", Holds::not_provable, ""};
  switch (retention.kind) {
    case KeyRetention::Kind::finite: {
      const auto limit = retention.length - t.provider_clock_margin;
      relation.right =
          sum_text(to_string(retention.length) + " - " + to_string(t.provider_clock_margin), limit);
      relation.holds = holds_if(t.submission_window <= limit);
      relation.explanation =
          "a credit could be sent again after the provider forgot its key, and be made twice: "
          "lower "
          "submission_window";
      break;
    }
    case KeyRetention::Kind::permanent:
      relation.right = "permanent";
      relation.holds = Holds::yes;
      relation.explanation = "the provider never forgets a key";
      break;
    case KeyRetention::Kind::none:
      relation.right = "none";
      relation.explanation =
          "the provider remembers no key: a credit that is sent twice may be made twice";
      break;
    case KeyRetention::Kind::undocumented:
      relation.right = "undocumented";
      relation.explanation =
          "the profile names no key_retention: ask the provider how long it remembers a key";
      break;
  }
  all.push_back(std::move(relation));
}

void cleanup_waits(std::vector<Relation>& all, const Timings& t) {
  const auto sum = t.admission_transaction_bound + t.replication_wait_bound + t.largest_clock_step;
  all.push_back(
      {"admission_transaction_bound, replication_wait_bound, largest_clock_step are finite",
       fmt::format("{}, {}, {}", to_string(t.admission_transaction_bound),
                   to_string(t.replication_wait_bound), to_string(t.largest_clock_step)),
       "finite", Holds::yes, "a bound that is not finite would bound nothing"});
  all.push_back(
      {"cleanup_margin > admission_transaction_bound + replication_wait_bound + largest_clock_step",
       to_string(t.cleanup_margin),
       sum_text(fmt::format("{} + {} + {}", to_string(t.admission_transaction_bound),
                            to_string(t.replication_wait_bound), to_string(t.largest_clock_step)),
                sum),
       holds_if(t.cleanup_margin > sum),
       "an honest late admission could find its row deleted and be refused: raise cleanup_margin"});
}

void stale_waits(std::vector<Relation>& all, const Timings& t) {
  all.push_back(
      {"idempotency_stale_after > the service's request deadline",
       to_string(t.idempotency_stale_after), "known to the service only", Holds::not_provable,
       "a request that still runs could lose its claim: keep it above the service's request "
       "deadline"});
}

void resubmission(std::vector<Relation>& all, const Settings& s) {
  const auto& t = s.timings;
  const auto needed = t.execution_lease + s.recovery.poll_interval + t.recovery_lease;
  all.push_back(
      {"submission_window > execution_lease + recovery.poll_interval + recovery_lease",
       to_string(t.submission_window),
       sum_text(fmt::format("{} + {} + {}", to_string(t.execution_lease),
                            to_string(s.recovery.poll_interval), to_string(t.recovery_lease)),
                needed),
       holds_if(t.submission_window > needed),
       "the window could be over before a daemon may send again: raise submission_window"});
}

}  // namespace

std::string_view to_string(Holds holds) noexcept {
  switch (holds) {
    case Holds::yes:
      return "ok";
    case Holds::no:
      return "FAIL";
    case Holds::not_provable:
      return "not provable";
  }
  return "";
}

std::vector<Relation> relations(const Settings& settings, const Guarantees& guarantees) {
  std::vector<Relation> all;
  calls_fit_leases(all, settings.timings);
  execution_fits(all, settings.timings);
  recovery_fits(all, settings);
  window_fits_retention(all, settings.timings, guarantees.key_retention);
  cleanup_waits(all, settings.timings);
  stale_waits(all, settings.timings);
  if (settings.recovery.resubmit) resubmission(all, settings);
  return all;
}

std::vector<Difference> compare_timings(const Timings& file, const Timings& database) {
  Settings ours;
  Settings theirs;
  ours.timings = file;
  theirs.timings = database;
  std::vector<Difference> differences;
  for (const auto& setting : all_settings()) {
    const auto* span = std::get_if<Span>(&setting.target);
    if (span == nullptr || section_of(setting) != "timings") continue;
    if (span->of(ours) == span->of(theirs)) continue;
    differences.push_back({std::string(setting.key), span->of(ours), span->of(theirs)});
  }
  return differences;
}

}  // namespace reconciled
