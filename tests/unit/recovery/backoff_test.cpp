// SPDX-License-Identifier: Apache-2.0
// When to look again (design §3: exponent = clamp(owner_version - 2, 0, 10)).
#include "recovery/backoff.hpp"

#include "tests/support/catch.hpp"

namespace reconciled {
namespace {

constexpr Backoff kBackoff{.look_again_after = 30s, .look_again_at_most = 15min};

Duration look(std::int64_t version, const Finding& finding = Absent{}, double chance = 0) {
  return next_look(kBackoff, OwnerVersion{version}, finding, chance);
}

TEST_CASE("the wait doubles with each takeover after the first, up to its bound", "[backoff]") {
  struct Case {
    std::int64_t version;
    Duration wait;
  };
  const auto [version, wait] = GENERATE(values<Case>({{1, 30s},
                                                      {2, 30s},
                                                      {3, 60s},
                                                      {4, 120s},
                                                      {5, 240s},
                                                      {6, 480s},
                                                      {7, 15min},
                                                      {12, 15min},
                                                      {13, 15min},
                                                      {9'223'372'036'854'775'807, 15min}}));
  INFO(version);
  CHECK(look(version) == wait);
}

TEST_CASE("ten doublings are the most", "[backoff]") {
  const Backoff patient{.look_again_after = 1s, .look_again_at_most = 24h};
  CHECK(next_look(patient, OwnerVersion{11}, Absent{}, 0) == 512s);
  CHECK(next_look(patient, OwnerVersion{12}, Absent{}, 0) == 1024s);
  CHECK(next_look(patient, OwnerVersion{13}, Absent{}, 0) == 1024s);
}

TEST_CASE("jitter lengthens by up to a quarter and never shortens", "[backoff]") {
  CHECK(look(2, Absent{}, 1) == 37'500ms);
  CHECK(look(2, Absent{}, 0.5) == 33'750ms);
  CHECK(look(20, Absent{}, 1) == 15min + 225s);
}

TEST_CASE("a throttling provider is given the time it asked for, within the bound", "[backoff]") {
  CHECK(look(2, Throttled{10s}) == 30s);
  CHECK(look(2, Throttled{90s}) == 90s);
  CHECK(look(5, Throttled{90s}) == 240s);
  CHECK(look(2, Throttled{1h}) == 15min);
  CHECK(look(2, Throttled{std::nullopt}) == 30s);
  CHECK(look(2, Throttled{90s}, 1) == 112'500ms);
}

TEST_CASE("the database is tried again soon at first and every five seconds at last", "[backoff]") {
  CHECK(next_try(1, 0) == 100ms);
  CHECK(next_try(2, 0) == 200ms);
  CHECK(next_try(6, 0) == 3200ms);
  CHECK(next_try(7, 0) == 5s);
  CHECK(next_try(1'000'000, 0) == 5s);
  CHECK(next_try(0, 0) == 100ms);
}

TEST_CASE("chance shortens the wait for the database by up to half", "[backoff]") {
  CHECK(next_try(1, 1) == 50ms);
  CHECK(next_try(7, 1) == 2500ms);
  CHECK(next_try(7, 0.5) == 3750ms);
}

}  // namespace
}  // namespace reconciled
