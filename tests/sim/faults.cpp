// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/faults.hpp"

namespace reconciled::sim {

Faults draw_faults(Random& random, SteadyTime begin, Duration length) {
  Faults faults;
  faults.over = begin + length;
  const int likely = random.below(4) * 12;  // a quarter of the histories go well
  const auto span = [&](Faults::Span& into) {
    if (!random.percent(likely)) return;
    into.from = begin + random.between(Duration::zero(), length);
    into.to = std::min(into.from + random.between(1s, 20min), faults.over);
  };
  const auto share = [&](int& into, int most) {
    if (random.percent(likely)) into = 1 + random.below(most);
  };
  span(faults.database_down);
  span(faults.provider_silent);
  span(faults.provider_unreachable);
  span(faults.provider_refuses);
  share(faults.lost_acknowledgements, 60);
  share(faults.lost_requests, 60);
  share(faults.bad_rows, 60);
  share(faults.odd_answers, 80);
  if (random.percent(likely)) faults.slowest_statement = 4s;
  return faults;
}

}  // namespace reconciled::sim
