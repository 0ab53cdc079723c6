// SPDX-License-Identifier: Apache-2.0
// Time as this project knows it: the database's clock decides, the steady clock measures waits, and
// the two are different types so that they cannot be compared (design G10).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reconciled {

using namespace std::chrono_literals;

/// PostgreSQL's resolution.
using Duration = std::chrono::microseconds;

using SteadyClock = std::chrono::steady_clock;
using SteadyTime = SteadyClock::time_point;

/// A moment on the database's clock, or a column that was written from it.
struct DatabaseTime {
  Duration since_epoch{};
  friend auto operator<=>(const DatabaseTime&, const DatabaseTime&) = default;
  friend DatabaseTime operator+(DatabaseTime at, Duration by) { return {at.since_epoch + by}; }
  friend DatabaseTime operator-(DatabaseTime at, Duration by) { return {at.since_epoch - by}; }
  friend Duration operator-(DatabaseTime a, DatabaseTime b) {
    return a.since_epoch - b.since_epoch;
  }
};

/// Whole seconds since 1970, rounded down.
std::string epoch_seconds(DatabaseTime at);
/// UTC, with microseconds only where there are some: 2026-11-30T10:02:23.000001Z.
std::string rfc3339(DatabaseTime at);

/// Reads a duration with its unit: 250ms, 30s, 5m, 24h, 7d. Digits and one unit, nothing else;
/// nullopt for a missing or unknown unit, a sign, a blank, a leading zero of a longer number, or
/// more than a hundred years.
std::optional<Duration> parse_duration(std::string_view text) noexcept;
/// The shortest form that parse_duration reads back: the largest unit that divides it (0s for
/// zero). Microseconds that no unit divides are printed with us, which only this function uses.
std::string to_string(Duration duration);

}  // namespace reconciled
