// SPDX-License-Identifier: Apache-2.0
// The cleanup's events as log lines.
#pragma once

#include <string>

#include "daemon/log.hpp"
#include "retention/events.hpp"

namespace reconciled {

class CleanupLog final : public CleanupEvents {
 public:
  /// `log` must outlive this.
  CleanupLog(Log& log, std::string instance) : log_(log), instance_(std::move(instance)) {}

  void swept(const SweepCounts& counts) override;
  void refused(const Refusal& refusal) override;
  void permitted() override;
  void clock_step(Duration difference) override;
  void answer_lost(const LostAnswer& answer) override;
  void sweep_defect(const std::string& what) override;

 private:
  Log& log_;
  const std::string instance_;
};

}  // namespace reconciled
