// SPDX-License-Identifier: Apache-2.0
#include "reconcile/retry_after.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {
constexpr std::string_view kDate = "Sun, 30 Nov 2025 22:00:00 GMT";
}

TEST_CASE("whole seconds are read as they stand", "[retry_after]") {
  CHECK(parse_retry_after("0", "") == 0s);
  CHECK(parse_retry_after("7", "") == 7s);
  CHECK(parse_retry_after(" 120\t", "") == 120s);
  CHECK(parse_retry_after("007", "") == 7s);
}

TEST_CASE("B12: what is no Retry-After says nothing", "[retry_after]") {
  for (const std::string_view value :
       {"", " ", "-5", "+5", "1.5", "5s", "5 6", "soon", "0x10", "1e3",
        "\x00"
        "5",
        "NaN", "99999999999", "99999999999999999999999999", "Sun", "30 Nov 2025 22:00:00 GMT"}) {
    CAPTURE(value);
    CHECK(parse_retry_after(value, kDate) == std::nullopt);
  }
}

TEST_CASE("an HTTP date counts from the answer's own Date", "[retry_after]") {
  CHECK(parse_retry_after("Sun, 30 Nov 2025 22:00:30 GMT", kDate) == 30s);
  CHECK(parse_retry_after("Mon, 01 Dec 2025 00:00:00 GMT", kDate) == 2h);
  CHECK(parse_retry_after("Sunday, 30-Nov-25 22:01:00 GMT", kDate) == 60s);
  CHECK(parse_retry_after("Sun Nov 30 22:00:05 2025", kDate) == 5s);
  CHECK(parse_retry_after("Mon Dec  1 22:00:00 2025", kDate) == 24h);
  CHECK(parse_retry_after("Sun, 30 Nov 2025 22:00:30 GMT", "Sunday, 30-Nov-25 22:00:00 GMT") ==
        30s);
}

TEST_CASE("leap days and the turn of a year are counted right", "[retry_after]") {
  CHECK(parse_retry_after("Fri, 01 Mar 2024 00:00:00 GMT", "Wed, 28 Feb 2024 00:00:00 GMT") == 48h);
  CHECK(parse_retry_after("Thu, 01 Jan 2026 00:00:00 GMT", "Wed, 31 Dec 2025 23:59:59 GMT") == 1s);
}

TEST_CASE("B12: a date that has passed is no wait", "[retry_after]") {
  CHECK(parse_retry_after("Sun, 30 Nov 2025 21:00:00 GMT", kDate) == 0s);
  CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", kDate) == 0s);
}

TEST_CASE("a date without a readable Date beside it says nothing", "[retry_after]") {
  CHECK(parse_retry_after("Sun, 30 Nov 2025 22:00:30 GMT", "") == std::nullopt);
  CHECK(parse_retry_after("Sun, 30 Nov 2025 22:00:30 GMT", "yesterday") == std::nullopt);
}

TEST_CASE("a date that does not exist says nothing", "[retry_after]") {
  for (const std::string_view value :
       {"Sun, 31 Nov 2025 22:00:30 GMT", "Sun, 00 Nov 2025 22:00:30 GMT",
        "Sun, 30 Nov 2025 24:00:30 GMT", "Sun, 30 Nov 2025 22:60:30 GMT",
        "Sun, 30 Nov 2025 22:00:61 GMT", "Sun, 30 anF 2025 22:00:30 GMT",
        "Sun, 30 Nov 2025 22:00:30 CET", "Sun, 30 Nov 2025 22:00:30 GMT+1",
        "Sun, 30 Nov 2225 22:00:30 GMT", "Xyz, 30 Nov 2025 22:00:30 GMT",
        "Sun, 30 Nov -025 22:00:30 GMT", "Sun, 30 No", "Sunday, 30-Nov-25 22:00:00",
        "Sun Nov 30 22:00:05"}) {
    CAPTURE(value);
    CHECK(parse_retry_after(value, kDate) == std::nullopt);
  }
}

TEST_CASE("B12: the wait is between a second and the configured most", "[retry_after]") {
  CHECK(clamp_retry_after(std::nullopt, 10s) == 1s);
  CHECK(clamp_retry_after(0s, 10s) == 1s);
  CHECK(clamp_retry_after(999ms, 10s) == 1s);
  CHECK(clamp_retry_after(5s, 10s) == 5s);
  CHECK(clamp_retry_after(1764540000s, 10s) == 10s);
  CHECK(clamp_retry_after(5s, 500ms) == 1s);
}
