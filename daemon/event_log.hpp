// SPDX-License-Identifier: Apache-2.0
// Recovery's events as log lines, metrics, systemd status and watchdog. Conditions are told when
// they change, not while they last.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "daemon/log.hpp"
#include "daemon/recovery_metrics.hpp"
#include "recovery/events.hpp"
#include "recovery/late_truth.hpp"

namespace reconciled {

class EventLog final : public Events, public LateEvents {
 public:
  /// `log` and `metrics` must outlive this.
  EventLog(Log& log, Metrics& metrics, std::string instance);

  void taken_over(const Lease& lease) override;
  void recorded(const Lease& lease, const Look& look, const Verdict& verdict) override;
  void ownership_lost(const Lease& lease, const Verdict& verdict) override;
  void record_refused(const Ownership& owned, const sql::Error& error) override;
  void resubmitted(const Lease& lease, const CreateAnswer& answer) override;
  void resubmission_off(const Lease& lease, bool tripped_now) override;
  void handed_back(std::size_t operations) override;
  void provider_unavailable(ProviderSignal::Kind why) override;
  void provider_available() override;
  void database_failed(const sql::Error& error) override;
  void database_works() override;
  void defect(const OperationId& operation, const std::string& what) override;
  void turned(std::size_t in_flight) override;
  void late_truth(const LateCase& seen, const Look& look, const LateWord& word) override;
  /// A defect of ours while looking for late truth, which has ended by it.
  void late_defect(const std::string& what);

  /// From SIGTERM on, a turn also asks systemd for this much more time to stop.
  void draining(Duration at_most) { draining_ = at_most; }

 private:
  std::string status_line(std::size_t in_flight) const;

  Log& log_;
  RecoveryMetrics metrics_;
  const std::string instance_;
  std::map<Decision, std::int64_t> recorded_;
  std::optional<std::string> database_trouble_;
  std::optional<std::string> provider_trouble_;
  bool resubmission_off_told_ = false;
  std::optional<Duration> draining_;
  std::string status_;       // as told last
  SteadyTime status_due_{};  // not told more often than once a second
};

}  // namespace reconciled
