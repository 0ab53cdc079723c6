// SPDX-License-Identifier: Apache-2.0
#include "daemon/repeat_limit.hpp"

namespace reconciled {

bool RepeatLimit::allows(LogLevel level, const EventName& event, SteadyTime now) {
  if (!event.limited()) return true;
  const Window fresh{level, now + kRepeatWindow};
  auto& window =
      windows_.try_emplace({&event.kind(), std::string(event.sort())}, fresh).first->second;
  if (window.told < kRepeatsMost) {
    ++window.told;
    return true;
  }
  ++window.suppressed;
  return false;
}

std::vector<RepeatLimit::Suppressed> RepeatLimit::over(SteadyTime now) {
  std::vector<Suppressed> result;
  std::erase_if(windows_, [&](const auto& entry) {
    const auto& [key, window] = entry;
    if (now < window.until) return false;
    if (window.suppressed > 0)
      result.push_back({window.level, key.first, key.second, window.suppressed});
    return true;
  });
  return result;
}

}  // namespace reconciled
