// SPDX-License-Identifier: Apache-2.0
// What a sweep tells the edge. Inner code decides and returns; logging and metrics are the daemon's
// business.
#pragma once

#include <optional>
#include <string>

#include "retention/refusal.hpp"
#include "retention/store.hpp"

namespace reconciled {

struct SweepCounts {
  std::optional<DatabaseTime> cut_off;  ///< of consumption rows; nullopt: they were left alone
  std::int64_t consumptions = 0;
  std::int64_t idempotency_records = 0;
};

struct CleanupEvents {
  virtual ~CleanupEvents() = default;

  /// A sweep came to its end, or to its limit of batches.
  virtual void swept(const SweepCounts& counts) = 0;
  /// A reason that did not stand at the look before. Nothing is deleted while one stands.
  virtual void refused(const Refusal& refusal) = 0;
  /// A sweep was made, and no reason stands any more.
  virtual void permitted() = 0;
  /// The database's clock moved by this much against the steady clock; once for each step.
  virtual void clock_step(Duration difference) = 0;
  /// A record was deleted while Executed: its request was applied, and the answer is gone.
  virtual void answer_lost(const LostAnswer& answer) = 0;
  /// A defect of ours inside one sweep; the next one is made as usual.
  virtual void sweep_defect(const std::string& what) = 0;
};

}  // namespace reconciled
