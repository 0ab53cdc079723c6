// SPDX-License-Identifier: Apache-2.0
#include "base/chance.hpp"

#include <random>

namespace reconciled {

double chance() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(generator);
}

}  // namespace reconciled
