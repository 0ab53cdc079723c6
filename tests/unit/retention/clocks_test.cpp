// SPDX-License-Identifier: Apache-2.0
#include "retention/clocks.hpp"

#include "retention/cut_off.hpp"
#include "retention/facts.hpp"
#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

constexpr Duration kLimit = 5s;

/// The database's clock at `database`, read between `before` and `after` of the host's clocks.
ClockReading reading(Duration database, Duration before, Duration after) {
  const auto steady = [](Duration at) { return SteadyTime{} + at; };
  return {{database}, {before}, {after}, steady(before), steady(after)};
}

std::vector<std::string> keys_of(const std::vector<Refusal>& refusals) {
  std::vector<std::string> keys;
  for (const auto& refusal : refusals) keys.push_back(key_of(refusal));
  return keys;
}

using Keys = std::vector<std::string>;

TEST_CASE("the cut-off lies one margin before the database's now, to the microsecond",
          "[cut_off]") {
  CHECK(cut_off({100us}, 30us) == DatabaseTime{70us});
  CHECK(cut_off({100us}, 0us) == DatabaseTime{100us});
  CHECK(cut_off({10us}, 30us) == DatabaseTime{-20us});
}

TEST_CASE("the host's clock differs by what the look itself does not explain", "[clocks]") {
  struct Case {
    Duration database, before, after, difference;
  };
  const Case cases[] = {
      {100s, 100s, 100s, 0s},           {101s, 100s, 102s, 0s},         {100s, 100s, 102s, 0s},
      {102s, 100s, 102s, 0s},           {103s, 100s, 102s, 1s},         {99s, 100s, 102s, -1s},
      {2h + 100s, 100s, 101s, 2h - 1s}, {100s, 3h, 3h + 1s, 100s - 3h},
  };
  for (const auto& one : cases) {
    INFO(one.database.count() << " in " << one.before.count() << " to " << one.after.count());
    CHECK(host_difference(reading(one.database, one.before, one.after)) == one.difference);
  }
}

TEST_CASE("a step is what the steady clock does not explain", "[clocks]") {
  const auto earlier = reading(1000s, 10s, 11s);
  struct Case {
    Duration database, before, after, step;
  };
  const Case cases[] = {
      {1060s, 70s, 71s, 0s},   // a minute here and there
      {1059s, 70s, 71s, 0s},   // the least that the looks allow
      {1061s, 70s, 71s, 0s},   // the most
      {1058s, 70s, 71s, -1s},  // back
      {1062s, 70s, 71s, 1s},   // ahead
      {1060s + 2h, 70s, 71s, 2h - 1s}, {1060s - 3h, 70s, 71s, -3h + 1s},
  };
  for (const auto& one : cases) {
    INFO(one.database.count());
    CHECK(step_between(earlier, reading(one.database, one.before, one.after)) == one.step);
  }
}

TEST_CASE("a difference of exactly largest_clock_step is allowed, either way", "[clocks]") {
  CHECK_FALSE(exceeds(kLimit, kLimit));
  CHECK_FALSE(exceeds(-kLimit, kLimit));
  CHECK(exceeds(kLimit + 1us, kLimit));
  CHECK(exceeds(-kLimit - 1us, kLimit));
}

TEST_CASE("the clocks refuse for a host that is apart and for a step, both ways", "[clocks]") {
  const auto good = reading(100s, 100s, 100s);
  CHECK(judge_clocks({}, good, kLimit).empty());
  CHECK(judge_clocks(good, reading(160s, 160s, 160s), kLimit).empty());
  CHECK(keys_of(judge_clocks({}, reading(106s, 100s, 100s), kLimit)) == Keys{"host-clock"});
  CHECK(keys_of(judge_clocks({}, reading(94s, 100s, 100s), kLimit)) == Keys{"host-clock"});

  // Host and database jump together: only the steady clock sees it.
  auto together = reading(160s + 2h, 160s, 160s);
  together.host_before = together.host_after = {160s + 2h};
  CHECK(keys_of(judge_clocks(good, together, kLimit)) == Keys{"clock-step"});
  together = reading(160s - 2h, 160s, 160s);
  together.host_before = together.host_after = {160s - 2h};
  CHECK(keys_of(judge_clocks(good, together, kLimit)) == Keys{"clock-step"});
  CHECK(keys_of(judge_clocks(good, reading(160s + 2h, 160s, 160s), kLimit)) ==
        Keys{"host-clock", "clock-step"});
}

}  // namespace
}  // namespace reconciled::test
