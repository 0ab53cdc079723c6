// SPDX-License-Identifier: Apache-2.0
#include "reconcile/rate_limit.hpp"

#include <algorithm>
#include <limits>

namespace reconciled {

RateLimit::RateLimit(int per_second) { set_rate(per_second); }

void RateLimit::set_rate(int per_second) noexcept {
  const auto rate = std::clamp(per_second, 0, kMostPerSecond);
  interval_ = rate == 0 ? SteadyClock::duration{} : SteadyClock::duration{1s} / rate;
  const auto at_once = std::max(1, (rate + 9) / 10);
  burst_ = interval_ * (at_once - 1);
}

int RateLimit::available(SteadyTime now, Duration within) const noexcept {
  constexpr auto kUnlimited = std::numeric_limits<int>::max();
  if (interval_ == SteadyClock::duration::zero()) return kUnlimited;
  const auto room = now + within + burst_ - std::max(even_, now);
  if (room < SteadyClock::duration::zero()) return 0;
  return static_cast<int>(std::min<std::int64_t>(room / interval_ + 1, kUnlimited));
}

SteadyTime RateLimit::reserve(SteadyTime now) noexcept {
  if (interval_ == SteadyClock::duration::zero()) return now;
  const auto even = std::max(even_, now);
  even_ = even + interval_;
  return std::max(now, even - burst_);
}

}  // namespace reconciled
