// SPDX-License-Identifier: Apache-2.0
#include "recovery/backoff.hpp"

#include <algorithm>

namespace reconciled {
namespace {

constexpr std::int64_t kMostDoublings = 10;
constexpr double kJitter = 0.25;
constexpr Duration kFirstTry = 100ms;
constexpr Duration kLongestTry = 5s;

Duration stretched(Duration wait, double factor) noexcept {
  return Duration{static_cast<Duration::rep>(static_cast<double>(wait.count()) * factor)};
}

}  // namespace

Duration next_look(const Backoff& backoff, OwnerVersion version, const Finding& finding,
                   double chance) noexcept {
  const auto doublings = std::clamp<std::int64_t>(version.value - 2, 0, kMostDoublings);
  auto wait = std::min(backoff.look_again_after * (std::int64_t{1} << doublings),
                       backoff.look_again_at_most);
  if (const auto* throttled = std::get_if<Throttled>(&finding);
      throttled != nullptr && throttled->retry_after)
    wait = std::max(wait, std::min(*throttled->retry_after, backoff.look_again_at_most));
  return stretched(wait, 1 + kJitter * chance);
}

Duration next_try(int failures, double chance) noexcept {
  const auto doublings = std::clamp<std::int64_t>(failures - 1, 0, kMostDoublings);
  const auto wait = std::min(kFirstTry * (std::int64_t{1} << doublings), kLongestTry);
  return stretched(wait, 1 - 0.5 * chance);
}

}  // namespace reconciled
