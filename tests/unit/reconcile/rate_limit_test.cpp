// SPDX-License-Identifier: Apache-2.0
#include "reconcile/rate_limit.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

const SteadyTime kStart{1000s};

/// How many go within ten seconds if everybody is always waiting.
int sent_in_ten_seconds(RateLimit& limit) {
  int sent = 0;
  while (limit.reserve(kStart) < kStart + 10s) ++sent;
  return sent;
}

}  // namespace

TEST_CASE("no limit lets everything through at once", "[rate_limit]") {
  RateLimit limit{0};
  for (int i = 0; i < 1000; ++i) REQUIRE(limit.reserve(kStart) == kStart);
  CHECK(limit.available(kStart, 0s) == std::numeric_limits<int>::max());
}

TEST_CASE("over ten seconds the rate holds within two percent", "[rate_limit]") {
  for (const int rate : {1, 2, 3, 7, 10, 11, 50, 99, 100, 101, 1000, 10'000}) {
    CAPTURE(rate);
    RateLimit limit{rate};
    const auto sent = sent_in_ten_seconds(limit);
    CHECK(sent >= rate * 10);
    CHECK(sent <= rate * 10 + rate * 10 / 50 + 1);
  }
}

TEST_CASE("a small rate is spaced evenly from the first request on", "[rate_limit]") {
  RateLimit limit{2};
  CHECK(limit.reserve(kStart) == kStart);
  CHECK(limit.reserve(kStart) == kStart + 500ms);
  CHECK(limit.reserve(kStart + 100ms) == kStart + 1s);
  CHECK(limit.reserve(kStart + 10s) == kStart + 10s);
  CHECK(limit.reserve(kStart + 10s) == kStart + 10500ms);
}

TEST_CASE("a tenth of a second's worth may go at once, and an idle hour saves up no more",
          "[rate_limit]") {
  RateLimit limit{100};
  for (const auto now : {kStart, kStart + 1h}) {
    for (int i = 0; i < 10; ++i) REQUIRE(limit.reserve(now) == now);
    CHECK(limit.reserve(now) == now + 10ms);
  }
}

TEST_CASE("what is available is what reserving then allows", "[rate_limit]") {
  for (const int rate : {1, 3, 10, 64, 100, 1000}) {
    for (const int reserved_before : {0, 1, 5, 200}) {
      for (const Duration within : {Duration{0s}, Duration{100ms}, Duration{1s}, Duration{5s}}) {
        CAPTURE(rate, reserved_before, within.count());
        RateLimit limit{rate};
        for (int i = 0; i < reserved_before; ++i) limit.reserve(kStart);
        const auto available = limit.available(kStart, within);
        for (int i = 0; i < available; ++i) REQUIRE(limit.reserve(kStart) <= kStart + within);
        CHECK(limit.reserve(kStart) > kStart + within);
        CHECK(limit.available(kStart, within) == 0);
      }
    }
  }
}

TEST_CASE("a reload to another rate keeps what was reserved", "[rate_limit]") {
  RateLimit limit{1};
  limit.reserve(kStart);
  limit.reserve(kStart);
  limit.set_rate(10);
  CHECK(limit.reserve(kStart) == kStart + 2s);
  CHECK(limit.reserve(kStart) == kStart + 2100ms);
  limit.set_rate(0);
  CHECK(limit.reserve(kStart) == kStart);
}
