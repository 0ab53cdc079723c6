// SPDX-License-Identifier: Apache-2.0
// Chance out of a seed, the same with every library (std's distributions are not).
#pragma once

#include <cstdint>
#include <random>

#include "base/time.hpp"

namespace reconciled::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t bits() { return generator_(); }
  /// 0 to n - 1.
  int below(int n) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(n)); }
  bool percent(int chance) { return below(100) < chance; }
  Duration between(Duration least, Duration most) {
    const auto span = static_cast<std::uint64_t>((most - least).count()) + 1;
    return least + Duration{static_cast<Duration::rep>(generator_() % span)};
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace reconciled::sim
