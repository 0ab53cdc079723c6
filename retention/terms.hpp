// SPDX-License-Identifier: Apache-2.0
// What a sweep takes from the settings, and the host's clocks.
#pragma once

#include <functional>

#include "base/time_of_host.hpp"
#include "retention/bound.hpp"

namespace reconciled {

/// Replaced as a whole on reload.
struct CleanupTerms {
  bool consumptions = true;
  bool idempotency_records = false;
  bool require_bound = false;
  Duration interval = 1min;
  Duration pause = 50ms;
  int batch = 1000;
  BoundTimings timings;
};

/// Handed in, so that a test can set them.
struct HostClocks {
  std::function<HostTime()> wall = host_time;
  std::function<SteadyTime()> steady = [] { return SteadyClock::now(); };
};

}  // namespace reconciled
