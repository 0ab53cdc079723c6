// SPDX-License-Identifier: Apache-2.0
// What recovery does, counted. The series of the hot path are looked up once.
#pragma once

#include <map>
#include <memory>
#include <utility>

#include "daemon/metrics.hpp"
#include "reconcile/provider.hpp"
#include "recovery/lease.hpp"
#include "sql/error.hpp"

namespace reconciled {

class RecoveryMetrics {
 public:
  /// `metrics` must outlive this.
  explicit RecoveryMetrics(Metrics& metrics);

  void taken_over() { takeovers_.Increment(); }
  void recorded(const Lease& lease, const Verdict& verdict, SteadyTime now);
  void ownership_lost() { ownership_lost_.Increment(); }
  void late_credit() { late_credits_.Increment(); }
  void provider_available(bool available) { provider_available_.Set(available ? 1 : 0); }
  void database_failed(const sql::Error& error);
  void database_works() { database_up_.Set(1); }
  /// A turn of the pass loop; and how many events were suppressed and dropped until now.
  void turned(std::uint64_t log_suppressed, std::uint64_t log_dropped);

 private:
  Counter& recorded_as(Decision decision, Reason reason);

  Metrics& metrics_;
  std::map<std::pair<Decision, Reason>, Counter*> recorded_;
  Counter& takeovers_;
  Counter& ownership_lost_;
  Counter& late_credits_;
  Counter& commits_in_doubt_;
  Histogram& time_to_outcome_;
  Gauge& provider_available_;
  Gauge& database_up_;
  Gauge& last_pass_;
  Counter& log_suppressed_;
  Counter& log_dropped_;
};

/// The same provider, its lookups counted and timed. `metrics` must outlive it.
std::shared_ptr<Provider> measured(std::shared_ptr<Provider> provider, Metrics& metrics);

}  // namespace reconciled
