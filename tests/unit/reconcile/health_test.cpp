// SPDX-License-Identifier: Apache-2.0
#include "reconcile/health.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

using Kind = ProviderSignal::Kind;
using Transition = ProviderHealth::Transition;

constexpr Duration kLongestPause = 10s;

OperationId op(std::uint8_t number) {
  OperationId id;
  id.value.bytes[15] = number;
  id.value.bytes[0] = 1;
  return id;
}

/// A health with a clock of its own, so that a test reads as a story.
struct Story {
  ProviderHealth health{kLongestPause};
  SteadyTime now{1000s};

  std::optional<Transition> comes(std::uint8_t who, Kind kind,
                                  std::optional<Duration> retry_after = std::nullopt) {
    return health.note(op(who), {kind, retry_after}, now);
  }
  /// One that was asked and came back at once.
  std::optional<Transition> asked(std::uint8_t who, Kind kind,
                                  std::optional<Duration> retry_after = std::nullopt) {
    health.started(op(who), now);
    return comes(who, kind, retry_after);
  }
  void five_resets() {
    for (std::uint8_t who = 1; who <= 5; ++who) asked(who, Kind::no_answer);
  }
  bool unlimited() const { return health.allowance(now) == std::nullopt; }
  int allowed() const { return health.allowance(now).value(); }
  /// The wait until the next probe, which is then due.
  Duration to_next_probe() {
    const auto at = health.next_change(now).value();
    const auto wait = std::chrono::duration_cast<Duration>(at - now);
    now = at - 1us;
    CHECK(allowed() == 0);
    now = at;
    CHECK(allowed() == 1);
    CHECK(health.next_change(now) == std::nullopt);
    return wait;
  }
};

}  // namespace

TEST_CASE("a fresh provider may be asked without limit", "[health]") {
  const Story story;
  CHECK(story.unlimited());
  CHECK(story.health.available());
  CHECK(story.health.next_change(story.now) == std::nullopt);
  CHECK(story.health.last_probed() == std::nullopt);
}

TEST_CASE("five failures in a row of different operations open the breaker", "[health]") {
  for (const auto kind : {Kind::no_answer, Kind::unreachable}) {
    Story story;
    for (std::uint8_t who = 1; who <= 4; ++who) CHECK(story.asked(who, kind) == std::nullopt);
    CHECK(story.unlimited());
    CHECK(story.asked(5, kind) == Transition{false, kind});
    CHECK_FALSE(story.health.available());
    CHECK(story.allowed() == 0);
    CHECK(story.to_next_probe() == 1s);
  }
}

TEST_CASE("failures of different kinds make one row", "[health]") {
  Story story;
  story.asked(1, Kind::no_answer);
  story.asked(2, Kind::unreachable);
  story.asked(3, Kind::refused_403);
  story.asked(4, Kind::no_answer);
  CHECK(story.asked(5, Kind::refused_403) == Transition{false, Kind::refused_403});
}

TEST_CASE("one operation that fails again and again does not open the breaker", "[health]") {
  Story story;
  for (int i = 0; i < 100; ++i) CHECK(story.asked(1, Kind::no_answer) == std::nullopt);
  for (int i = 0; i < 100; ++i) CHECK(story.asked(2, Kind::refused_403) == std::nullopt);
  CHECK(story.unlimited());
}

TEST_CASE("any answer begins the row again", "[health]") {
  Story story;
  for (std::uint8_t who = 1; who <= 4; ++who) story.asked(who, Kind::no_answer);
  story.asked(9, Kind::answered);
  for (std::uint8_t who = 1; who <= 4; ++who) {
    CHECK(story.asked(who, Kind::no_answer) == std::nullopt);
  }
  CHECK(story.asked(5, Kind::no_answer).has_value());
}

TEST_CASE("a 401 opens at once", "[health]") {
  Story story;
  CHECK(story.asked(1, Kind::refused_401) == Transition{false, Kind::refused_401});
  CHECK(story.to_next_probe() == 1s);
}

TEST_CASE("a 403 opens after three different operations in a row", "[health]") {
  Story story;
  story.asked(1, Kind::refused_403);
  story.asked(1, Kind::refused_403);
  story.asked(2, Kind::refused_403);
  CHECK(story.unlimited());
  SECTION("the third opens") {
    CHECK(story.asked(3, Kind::refused_403) == Transition{false, Kind::refused_403});
  }
  SECTION("an answer in between begins again") {
    story.asked(9, Kind::answered);
    CHECK(story.asked(3, Kind::refused_403) == std::nullopt);
  }
  SECTION("another failure in between begins the 403s again") {
    story.asked(1, Kind::no_answer);
    CHECK(story.asked(3, Kind::refused_403) == std::nullopt);
    CHECK(story.unlimited());
  }
}

TEST_CASE("B12: a throttling pauses everybody for as long as it says, within limits", "[health]") {
  const std::pair<std::optional<Duration>, Duration> waits[] = {
      {1764540000s, kLongestPause}, {0s, 1s}, {std::nullopt, 1s}, {3s, 3s}, {10s, 10s}};
  for (const auto& [said, expected] : waits) {
    Story story;
    CHECK(story.asked(1, Kind::throttled, said) == Transition{false, Kind::throttled});
    CHECK(story.allowed() == 0);
    CHECK(story.to_next_probe() == expected);
  }
}

TEST_CASE("B12: throttled for ever is one probe after each pause, without a hot loop", "[health]") {
  Story story;
  story.asked(1, Kind::throttled, 0s);
  for (int i = 0; i < 30; ++i) {
    CHECK(story.to_next_probe() == 1s);
    CHECK(story.asked(static_cast<std::uint8_t>(2 + i % 2), Kind::throttled, 0s) == std::nullopt);
    CHECK(story.allowed() == 0);
  }
  story.to_next_probe();
  CHECK(story.asked(5, Kind::answered) == Transition{true, Kind::answered});
  CHECK(story.unlimited());
}

TEST_CASE("a reload changes the longest pause of the next throttling", "[health]") {
  Story story;
  story.health.set_longest_pause(20s);
  story.asked(1, Kind::throttled, 1h);
  CHECK(story.to_next_probe() == 20s);
}

TEST_CASE("while a probe runs nobody else may ask", "[health]") {
  Story story;
  story.five_resets();
  story.to_next_probe();
  story.health.started(op(6), story.now);
  CHECK(story.allowed() == 0);
  story.now += 1h;
  CHECK(story.allowed() == 0);
  CHECK(story.health.next_change(story.now) == std::nullopt);
  CHECK(story.health.last_probed() == op(6));
}

TEST_CASE("the wait doubles with each failed probe up to thirty seconds, and begins anew",
          "[health]") {
  Story story;
  for (int round = 0; round < 2; ++round) {
    story.five_resets();
    for (const Duration wait : {1s, 2s, 4s, 8s, 16s, 30s, 30s}) {
      CHECK(story.to_next_probe() == wait);
      CHECK(story.asked(6, Kind::no_answer) == std::nullopt);
    }
    story.to_next_probe();
    CHECK(story.asked(7, Kind::answered) == Transition{true, Kind::answered});
  }
}

TEST_CASE("B14: whatever a probe brings, asking goes on", "[health]") {
  Story story;
  story.five_resets();
  story.to_next_probe();
  SECTION("(a), (c) an odd answer for this operation is an answer") {
    CHECK(story.asked(6, Kind::answered) == Transition{true, Kind::answered});
    CHECK(story.unlimited());
    return;
  }
  SECTION("(b) a throttling") {
    story.asked(6, Kind::throttled, 7s);
    CHECK(story.to_next_probe() == 7s);
  }
  SECTION("(d) silence until the timeout") {
    story.asked(6, Kind::no_answer);
    CHECK(story.to_next_probe() == 2s);
  }
  SECTION("a 401") {
    story.asked(6, Kind::refused_401);
    CHECK(story.to_next_probe() == 2s);
  }
  SECTION("nothing was due to probe with") {
    story.health.probe_not_sent(story.now);
    CHECK(story.to_next_probe() == 1s);
  }
  SECTION("the probe was cancelled and never reports") {
    story.health.started(op(6), story.now);
    story.health.probe_not_sent(story.now);
    CHECK(story.to_next_probe() == 1s);
  }
  CHECK(story.asked(7, Kind::answered) == Transition{true, Kind::answered});
  CHECK(story.unlimited());
  CHECK(story.health.available());
}

TEST_CASE("B14 (e): one operation that always gets an odd answer opens nothing", "[health]") {
  Story story;
  for (int i = 0; i < 50; ++i) {
    CHECK(story.asked(1, Kind::answered) == std::nullopt);
    CHECK(story.asked(static_cast<std::uint8_t>(2 + i), Kind::answered) == std::nullopt);
  }
  CHECK(story.unlimited());
}

TEST_CASE("the operation probed last is named, so that the next probe is another one", "[health]") {
  Story story;
  story.five_resets();
  CHECK(story.health.last_probed() == op(5));
  story.to_next_probe();
  story.asked(6, Kind::no_answer);
  CHECK(story.health.last_probed() == op(6));
  story.to_next_probe();
  story.asked(7, Kind::answered);
  CHECK(story.health.last_probed() == std::nullopt);
}

TEST_CASE("the only operation there is gets probed again after one turn without a probe",
          "[health]") {
  Story story;
  story.five_resets();
  story.to_next_probe();
  story.asked(6, Kind::no_answer);
  story.to_next_probe();
  story.health.probe_not_sent(story.now);
  CHECK(story.health.last_probed() == std::nullopt);
  CHECK(story.to_next_probe() == 2s);
}

TEST_CASE("a probe that was not sent while closed changes nothing", "[health]") {
  Story story;
  story.health.probe_not_sent(story.now);
  CHECK(story.unlimited());
}

TEST_CASE("a probe that was not sent does not shorten a pause", "[health]") {
  Story story;
  story.asked(1, Kind::throttled, 9s);
  story.health.probe_not_sent(story.now);
  CHECK(story.to_next_probe() == 9s);
}

TEST_CASE("what was already on its way does not close or reopen the breaker", "[health]") {
  Story story;
  story.five_resets();
  CHECK(story.comes(20, Kind::answered) == std::nullopt);
  CHECK(story.comes(21, Kind::no_answer) == std::nullopt);
  CHECK(story.comes(22, Kind::refused_401) == std::nullopt);
  CHECK(story.to_next_probe() == 1s);
}

TEST_CASE("a lookup that starts while nothing may be asked is not the probe", "[health]") {
  Story story;
  story.five_resets();
  story.health.started(op(6), story.now);
  CHECK(story.comes(6, Kind::answered) == std::nullopt);
  CHECK_FALSE(story.health.available());
}

TEST_CASE("a throttling of one on its way lengthens the pause, and never shortens it", "[health]") {
  Story story;
  story.asked(1, Kind::throttled, 5s);
  story.comes(20, Kind::throttled, 8s);
  story.comes(21, Kind::throttled, 2s);
  CHECK(story.to_next_probe() == 8s);
}

TEST_CASE("a provider that is open for failures or refusals is down for judging", "[health]") {
  Story story;
  CHECK(story.health.condition(op(1)) == ProviderCondition::normal);
  story.five_resets();
  CHECK(story.health.condition(op(5)) == ProviderCondition::down);
  story.to_next_probe();
  story.asked(6, Kind::throttled, 1s);
  CHECK(story.health.condition(op(6)) == ProviderCondition::normal);
  story.to_next_probe();
  story.asked(7, Kind::no_answer);
  CHECK(story.health.condition(op(7)) == ProviderCondition::down);
}

TEST_CASE("turned away twice with another's answer in between is this operation's trouble",
          "[health]") {
  Story story;
  for (const auto kind : {Kind::throttled, Kind::refused_403}) {
    story = Story{};
    story.asked(1, kind);
    CHECK(story.health.condition(op(1)) == ProviderCondition::normal);
    story.now += kLongestPause;
    story.asked(2, Kind::answered);
    story.asked(1, kind);
    CHECK(story.health.condition(op(1)) == ProviderCondition::answers_others);
    CHECK(story.health.condition(op(2)) == ProviderCondition::normal);
  }
}

TEST_CASE("without another's answer in between, or after its own, it is not", "[health]") {
  Story story;
  story.asked(2, Kind::answered);
  story.asked(1, Kind::refused_403);
  story.asked(1, Kind::refused_403);
  CHECK(story.health.condition(op(1)) == ProviderCondition::normal);
  story.asked(1, Kind::answered);
  story.asked(1, Kind::refused_403);
  CHECK(story.health.condition(op(1)) == ProviderCondition::normal);
}

TEST_CASE("the memory of failures is bounded, and forgetting only delays", "[health]") {
  Story story;
  story.asked(1, Kind::refused_403);
  story.asked(2, Kind::answered);
  OperationId other = op(9);
  for (std::size_t i = 0; i < ProviderHealth::kRemembered; ++i) {
    other.value.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    other.value.bytes[2] = static_cast<std::uint8_t>(i & 0xff);
    story.health.note(other, {Kind::no_answer}, story.now);
    story.asked(2, Kind::answered);
  }
  story.asked(1, Kind::refused_403);
  CHECK(story.health.condition(op(1)) == ProviderCondition::normal);
}

TEST_CASE("a lookup that sent nothing says nothing about the provider", "[health]") {
  Story story;
  for (std::uint8_t who = 1; who <= 9; ++who) CHECK_FALSE(story.asked(who, Kind::not_asked));
  CHECK(story.unlimited());
  // It does not mend a row of failures either, and as a probe it neither closes the breaker nor
  // blocks it.
  for (std::uint8_t who = 1; who <= 4; ++who) story.asked(who, Kind::no_answer);
  story.asked(9, Kind::not_asked);
  CHECK(story.asked(5, Kind::no_answer).has_value());
  story.to_next_probe();
  CHECK_FALSE(story.asked(6, Kind::not_asked));
  CHECK_FALSE(story.health.available());
  story.to_next_probe();
  CHECK(story.asked(7, Kind::answered).has_value());
}
