// SPDX-License-Identifier: Apache-2.0
// Whether the database's clock can be believed far enough to delete by it (design section 7). Pure.
// The host's wall clock may stop a deletion here; it never allows one.
#pragma once

#include "base/time_of_host.hpp"

namespace reconciled {

/// One look at the three clocks. The database's time was read at some moment between before and
/// after.
struct ClockReading {
  DatabaseTime database;
  HostTime host_before, host_after;
  SteadyTime steady_before, steady_after;
};

/// How far the database's clock is from the host's; positive: the database is ahead. Zero if the
/// time that the look itself took explains the difference.
Duration host_difference(const ClockReading& reading);

/// How far the database's clock moved beyond what the steady clock counted between two looks;
/// positive: it jumped ahead. Zero if the time that the looks took explains it.
Duration step_between(const ClockReading& earlier, const ClockReading& later);

/// Whether a difference, either way, is more than `at_most`.
bool exceeds(Duration difference, Duration at_most);

}  // namespace reconciled
