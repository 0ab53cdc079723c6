// SPDX-License-Identifier: Apache-2.0
#include "reconcile/retry_after.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace reconciled {
namespace {

using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr seconds kMost = std::chrono::hours{24 * 36525};  // a hundred years
constexpr Duration kLeast = 1s;

constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// All of the text as a number without a sign.
template <class Number>
std::optional<Number> digits(std::string_view text) {
  Number number{};
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Eats a date from the left; once something does not fit, nothing fits any more.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  void literal(std::string_view expected) {
    if (!rest_.starts_with(expected)) return fail();
    rest_.remove_prefix(expected.size());
  }

  /// Skips a name of a day, whole or its first three letters. That it is the right day is not
  /// checked: the date says the same without it.
  bool day_name(bool whole) {
    for (const auto name : kDays) {
      const auto wanted = whole ? name : name.substr(0, 3);
      if (!rest_.starts_with(wanted)) continue;
      rest_.remove_prefix(wanted.size());
      return true;
    }
    return false;
  }

  int number(std::size_t width) {
    const auto parsed = digits<int>(rest_.substr(0, width));
    if (rest_.size() < width || !parsed) return fail(), 0;
    rest_.remove_prefix(width);
    return *parsed;
  }

  /// asctime pads a day below ten with a blank.
  int padded_day() {
    if (!rest_.starts_with(' ')) return number(2);
    rest_.remove_prefix(1);
    return number(1);
  }

  unsigned month() {
    const auto at = rest_.size() < 3 ? std::string_view::npos : kMonths.find(rest_.substr(0, 3));
    if (at == std::string_view::npos || at % 3 != 0) return fail(), 1U;
    rest_.remove_prefix(3);
    return static_cast<unsigned>(at / 3 + 1);
  }

  seconds time_of_day() {
    const auto hour = number(2);
    literal(":");
    const auto minute = number(2);
    literal(":");
    const auto second = number(2);
    if (hour > 23 || minute > 59 || second > 60) fail();  // 60: a leap second
    return std::chrono::hours{hour} + std::chrono::minutes{minute} + seconds{second};
  }

  bool all_read() const noexcept { return good_ && rest_.empty(); }

 private:
  void fail() noexcept { good_ = false; }

  std::string_view rest_;
  bool good_ = true;
};

std::optional<sys_seconds> moment(const Reader& read, int year, unsigned month, int day,
                                  seconds time) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!read.all_read() || !date.ok()) return std::nullopt;
  return sys_days{date} + time;
}

/// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<sys_seconds> parse_fixdate(Reader read) {
  if (!read.day_name(false)) return std::nullopt;
  read.literal(", ");
  const auto day = read.number(2);
  read.literal(" ");
  const auto month = read.month();
  read.literal(" ");
  const auto year = read.number(4);
  read.literal(" ");
  const auto time = read.time_of_day();
  read.literal(" GMT");
  return moment(read, year, month, day, time);
}

/// Sunday, 06-Nov-94 08:49:37 GMT. Of this century: both dates of one answer are read alike.
std::optional<sys_seconds> parse_rfc850(Reader read) {
  if (!read.day_name(true)) return std::nullopt;
  read.literal(", ");
  const auto day = read.number(2);
  read.literal("-");
  const auto month = read.month();
  read.literal("-");
  const auto year = 2000 + read.number(2);
  read.literal(" ");
  const auto time = read.time_of_day();
  read.literal(" GMT");
  return moment(read, year, month, day, time);
}

/// Sun Nov  6 08:49:37 1994
std::optional<sys_seconds> parse_asctime(Reader read) {
  if (!read.day_name(false)) return std::nullopt;
  read.literal(" ");
  const auto month = read.month();
  read.literal(" ");
  const auto day = read.padded_day();
  read.literal(" ");
  const auto time = read.time_of_day();
  read.literal(" ");
  const auto year = read.number(4);
  return moment(read, year, month, day, time);
}

/// The three forms that a recipient must accept (RFC 9110, 5.6.7).
std::optional<sys_seconds> parse_http_date(std::string_view text) {
  const Reader read{trimmed(text)};
  if (const auto fixdate = parse_fixdate(read)) return fixdate;
  if (const auto rfc850 = parse_rfc850(read)) return rfc850;
  return parse_asctime(read);
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date_header) {
  if (const auto number = digits<std::int64_t>(trimmed(value))) {
    if (*number > kMost.count()) return std::nullopt;
    return seconds{*number};
  }
  const auto when = parse_http_date(value);
  const auto sent = parse_http_date(date_header);
  if (!when || !sent || *when - *sent > kMost) return std::nullopt;
  return std::max<Duration>(*when - *sent, Duration::zero());
}

Duration clamp_retry_after(std::optional<Duration> asked, Duration at_most) {
  return std::clamp(asked.value_or(kLeast), kLeast, std::max(kLeast, at_most));
}

}  // namespace reconciled
