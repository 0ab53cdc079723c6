// SPDX-License-Identifier: Apache-2.0
#include "base/time.hpp"

#include <fmt/format.h>

#include <charconv>

namespace reconciled {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};

// Largest first, for printing.
constexpr Unit kUnits[] = {{"d", 86'400'000'000},
                           {"h", 3'600'000'000},
                           {"m", 60'000'000},
                           {"s", 1'000'000},
                           {"ms", 1'000}};
constexpr std::int64_t kMost = std::int64_t{100} * 366 * 86'400'000'000;

}  // namespace

std::string epoch_seconds(DatabaseTime at) {
  return std::to_string(std::chrono::floor<std::chrono::seconds>(at.since_epoch).count());
}

std::string rfc3339(DatabaseTime at) {
  using std::chrono::days;
  const std::chrono::sys_time<Duration> moment{at.since_epoch};
  const auto day = std::chrono::floor<days>(moment);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{moment - day};
  auto text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                          static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                          clock.hours().count(), clock.minutes().count(), clock.seconds().count());
  if (const auto fraction = clock.subseconds().count(); fraction != 0)
    text += fmt::format(".{:06}", fraction);
  return text + "Z";
}

std::optional<Duration> parse_duration(std::string_view text) noexcept {
  const auto digits_end = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits_end == 0 || (digits_end > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + digits_end, count);
  if (read.ec != std::errc{}) return std::nullopt;
  const auto unit_name = text.substr(digits_end);
  for (const auto& unit : kUnits) {
    if (unit.name != unit_name) continue;
    if (count > kMost / unit.microseconds) return std::nullopt;
    return Duration{count * unit.microseconds};
  }
  return std::nullopt;
}

std::string to_string(Duration duration) {
  if (duration == Duration::zero()) return "0s";
  for (const auto& unit : kUnits)
    if (duration.count() % unit.microseconds == 0)
      return std::to_string(duration.count() / unit.microseconds) + std::string(unit.name);
  return std::to_string(duration.count()) + "us";
}

}  // namespace reconciled
