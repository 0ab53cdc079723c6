// SPDX-License-Identifier: Apache-2.0
// How often an event may be told before its repeats are only counted. Pure: time is handed in.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "daemon/event_table.hpp"
#include "daemon/settings.hpp"

namespace reconciled {

/// Events of one kind and sort in one window; more are suppressed.
inline constexpr int kRepeatsMost = 20;
inline constexpr Duration kRepeatWindow = 30s;

class RepeatLimit {
 public:
  /// Whether it may be told. If not, it is counted.
  bool allows(LogLevel level, const EventName& event, SteadyTime now);

  struct Suppressed {
    LogLevel level;  ///< of the event that opened the window
    const EventKind* kind;
    std::string sort;
    std::int64_t events;
  };
  /// Windows that are over by now; those in which nothing was suppressed are left out.
  std::vector<Suppressed> over(SteadyTime now);

 private:
  struct Window {
    LogLevel level = LogLevel::info;
    SteadyTime until{};
    int told = 0;
    std::int64_t suppressed = 0;
  };
  // Sorts are words of closed sets, which bounds this.
  std::map<std::pair<const EventKind*, std::string>, Window> windows_;
};

}  // namespace reconciled
