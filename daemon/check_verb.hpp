// SPDX-License-Identifier: Apache-2.0
// `reconciled check`: proves that nothing stops silently (design G8).
#pragma once

#include "daemon/configuration.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

/// How far a schedule may be from now before it counts as none.
struct CheckBounds {
  Duration overdue{};       ///< recovery_lease + 2 × poll_interval: what a working daemon may need
  Duration lease_ahead{};   ///< twice the longest lease or wait, and a day at least
  Duration window_ahead{};  ///< twice the submission window, and a day at least
};
CheckBounds check_bounds(const Settings& settings);

/// 0 if every unresolved operation is in flight or scheduled; 1 with a list, oldest first, of those
/// that are not, and of those whose status is not of the contract.
ExitCode run_check(const Configuration& configuration, OutputFormat format);

}  // namespace reconciled
