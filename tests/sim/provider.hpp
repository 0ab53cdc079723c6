// SPDX-License-Identifier: Apache-2.0
// The simulated provider: what it holds, when that takes effect, from when on a lookup shows it,
// and one daemon's way of asking.
#pragma once

#include <map>
#include <vector>

#include "reconcile/guarantees.hpp"
#include "reconcile/provider.hpp"
#include "tests/sim/database.hpp"
#include "tests/sim/faults.hpp"

namespace reconciled::sim {

/// As the provider knows it, by the steady clock.
struct HeldCredit {
  Credit credit;
  SteadyTime visible_from;
  SteadyTime final_from;  ///< pending until then
};

class Ledger {
 public:
  Ledger(Guarantees promised, Random& random, Bug bug)
      : promised_(std::move(promised)), random_(random), bug_(bug) {}

  /// A create arrives: it takes effect within processing_time, and shows within visibility_lag of
  /// that. Returns the reference.
  std::string create(const Operation& operation);

  /// What a complete answer shows at this moment.
  std::vector<Credit> shown(const OperationId& id, SteadyTime at) const;
  /// Everything, whether it shows or not.
  const std::vector<HeldCredit>& held(const OperationId& id) const;

  const Guarantees& promised() const noexcept { return promised_; }

 private:
  const Guarantees promised_;
  Random& random_;
  const Bug bug_;
  std::map<OperationId, std::vector<HeldCredit>> credits_;
};

class SimulatedProvider final : public Provider {
 public:
  SimulatedProvider(const Ledger& ledger, const Faults& faults, Random& random)
      : ledger_(ledger), faults_(faults), random_(random) {}

  Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                          SteadyTime until) override;

 private:
  std::optional<Look> trouble();
  Look odd(std::vector<Credit> credits);

  const Ledger& ledger_;
  const Faults& faults_;
  Random& random_;
};

}  // namespace reconciled::sim
