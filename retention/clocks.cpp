// SPDX-License-Identifier: Apache-2.0
#include "retention/clocks.hpp"

namespace reconciled {
namespace {

/// How far `value` lies outside of the range, with its sign.
Duration outside(Duration value, Duration least, Duration most) {
  if (value < least) return value - least;
  if (value > most) return value - most;
  return Duration::zero();
}

Duration between(SteadyTime from, SteadyTime to) {
  return std::chrono::duration_cast<Duration>(to - from);
}

}  // namespace

Duration host_difference(const ClockReading& reading) {
  return outside(reading.database.since_epoch, reading.host_before.since_epoch,
                 reading.host_after.since_epoch);
}

Duration step_between(const ClockReading& earlier, const ClockReading& later) {
  return outside(later.database - earlier.database,
                 between(earlier.steady_after, later.steady_before),
                 between(earlier.steady_before, later.steady_after));
}

bool exceeds(Duration difference, Duration at_most) {
  return std::chrono::abs(difference) > at_most;
}

}  // namespace reconciled
