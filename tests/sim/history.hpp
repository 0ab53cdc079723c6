// SPDX-License-Identifier: Apache-2.0
// One history: a few operations, one to three daemons, hours of simulated time, and what goes wrong
// in them, all out of one seed. Then the judge: did anything happen that must not?
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/sim/database.hpp"

namespace reconciled::sim {

struct Outcome {
  std::vector<std::string> wrong;      ///< empty if all is well
  std::map<std::string, int> reasons;  ///< how operations ended: status and reason
};

Outcome run_history(std::uint64_t seed, Bug bug = Bug::none);

}  // namespace reconciled::sim
