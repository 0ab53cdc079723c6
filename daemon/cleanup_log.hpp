// SPDX-License-Identifier: Apache-2.0
// The cleanup's events as log lines and metrics.
#pragma once

#include <string>

#include "daemon/backlog.hpp"
#include "daemon/log.hpp"
#include "retention/events.hpp"

namespace reconciled {

class CleanupLog final : public CleanupEvents {
 public:
  /// log, metrics and gauges must outlive this.
  CleanupLog(Log& log, Metrics& metrics, BacklogGauges& gauges, std::string instance)
      : log_(log), metrics_(metrics), gauges_(gauges), instance_(std::move(instance)) {}

  void swept(const SweepCounts& counts) override;
  void refused(const Refusal& refusal) override;
  void permitted() override;
  void clock_step(Duration difference) override;
  void answer_lost(const LostAnswer& answer) override;
  void sweep_defect(const std::string& what) override;

 private:
  Log& log_;
  Metrics& metrics_;
  BacklogGauges& gauges_;
  const std::string instance_;
  bool refusing_ = false;  // a reason stands
};

}  // namespace reconciled
