// SPDX-License-Identifier: Apache-2.0
// The one token bucket for the provider, pages included (design §5). Pure: the time is handed in.
#pragma once

#include "base/time.hpp"

namespace reconciled {

class RateLimit {
 public:
  /// Requests a second, 0 for no limit (provider.rate_limit; at most kMostPerSecond). A tenth of a
  /// second's worth may go at once, so that over ten seconds the limit holds within 1%.
  explicit RateLimit(int per_second);

  static constexpr int kMostPerSecond = 1'000'000;

  /// How many more requests would be allowed from now to `within` later, beyond those reserved.
  int available(SteadyTime now, Duration within) const noexcept;

  /// Reserves one request, and says when it may be sent: now or later. There is no giving back.
  SteadyTime reserve(SteadyTime now) noexcept;

  /// For a reload: what was reserved before stays reserved.
  void set_rate(int per_second) noexcept;

 private:
  SteadyClock::duration interval_{};  // zero: no limit
  SteadyClock::duration burst_{};     // how far ahead of an even spacing a request may go
  SteadyTime even_{};                 // where an even spacing would put the next request
};

}  // namespace reconciled
