// SPDX-License-Identifier: Apache-2.0
#include "base/time.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace reconciled;

TEST_CASE("a duration is read with its unit", "[time]") {
  CHECK(parse_duration("250ms") == Duration{250'000});
  CHECK(parse_duration("30s") == 30s);
  CHECK(parse_duration("5m") == 5min);
  CHECK(parse_duration("24h") == 24h);
  CHECK(parse_duration("7d") == 168h);
  CHECK(parse_duration("0s") == 0s);
  CHECK(parse_duration("36600d") == 36600 * 24h);
}

TEST_CASE("a duration that could mean something else is refused", "[time]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "", "60", "s", "1:00", "-5s", "+5s", "5 m", " 5m", "5m ",
               "05s", "1.5s", "1e3s", "1_000s", ".inf", "5M", "5min", "5us", "1h30m", "36601d",
               "9223372036854775807s", "99999999999999999999s", "0x5s", "５s");
  CHECK_FALSE(parse_duration(text));
}

TEST_CASE("a duration is printed with the largest unit that divides it", "[time]") {
  CHECK(to_string(Duration{0}) == "0s");
  CHECK(to_string(Duration{250'000}) == "250ms");
  CHECK(to_string(Duration{90s}) == "90s");
  CHECK(to_string(Duration{60s}) == "1m");
  CHECK(to_string(Duration{24h}) == "1d");
  CHECK(to_string(Duration{25h}) == "25h");
  CHECK(to_string(Duration{1}) == "1us");
}

TEST_CASE("whatever is printed in a unit of the file reads back equal", "[time]") {
  for (std::int64_t milliseconds = 1; milliseconds < 4'000'000'000;
       milliseconds = milliseconds * 3 + 7) {
    const Duration duration{milliseconds * 1000};
    CHECK(parse_duration(to_string(duration)) == duration);
  }
}

TEST_CASE("a database time is printed in UTC, microseconds only where there are some", "[time]") {
  CHECK(rfc3339({}) == "1970-01-01T00:00:00Z");
  CHECK(rfc3339({Duration{1'796'032'943'000'001}}) == "2026-11-30T10:02:23.000001Z");
  CHECK(rfc3339({Duration{951'782'400'000'000}}) == "2000-02-29T00:00:00Z");
  CHECK(rfc3339({Duration{-1}}) == "1969-12-31T23:59:59.999999Z");
}

TEST_CASE("epoch seconds are rounded down, also before 1970", "[time]") {
  CHECK(epoch_seconds({Duration{1'999'999}}) == "1");
  CHECK(epoch_seconds({Duration{-1}}) == "-1");
  CHECK(epoch_seconds({Duration{0}}) == "0");
}

TEST_CASE("database times add and subtract like times", "[time]") {
  const DatabaseTime at{10s};
  CHECK((at + 5s) - at == 5s);
  CHECK(at - 5s < at);
}
