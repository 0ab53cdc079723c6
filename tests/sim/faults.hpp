// SPDX-License-Identifier: Apache-2.0
// What goes wrong in one history, and when. After `over` nothing does, so that everything must come
// to its end.
#pragma once

#include <vector>

#include "tests/sim/random.hpp"

namespace reconciled::sim {

struct Faults {
  struct Span {
    SteadyTime from, to;
    bool holds(SteadyTime at) const { return at >= from && at < to; }
  };

  SteadyTime over;
  Span database_down = {};
  Span provider_silent = {};  ///< connects and does not answer
  Span provider_unreachable = {};
  Span provider_refuses = {};     ///< 401 or 403
  int lost_acknowledgements = 0;  ///< percent of statements whose answer never comes
  int lost_requests = 0;          ///< percent of statements that never arrive, which looks the same
  int bad_rows = 0;               ///< percent of records refused for a row
  int odd_answers = 0;            ///< percent of lookups: throttled, partial, unintelligible, none
  Duration slowest_statement = 5ms;

  bool chance(Random& random, int percent) const {
    return percent > 0 && SteadyClock::now() < over && random.percent(percent);
  }
};

/// None, one or several kinds at once; most histories have few, so that each is met alone as well.
Faults draw_faults(Random& random, SteadyTime begin, Duration length);

}  // namespace reconciled::sim
