// SPDX-License-Identifier: Apache-2.0
// Coroutines on a loop that a test turns by hand, and errors of a database.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "base/awaitable.hpp"
#include "base/time.hpp"
#include "sql/error.hpp"
#include "tests/support/catch.hpp"

namespace reconciled::test {

namespace asio = boost::asio;

constexpr auto kAmple = 60s;  ///< a limit that only a broken test reaches

/// Runs the loop until the condition holds, and no further.
template <class Condition>
void until(asio::io_context& loop, Condition holds) {
  const auto limit = SteadyClock::now() + kAmple;
  loop.restart();
  while (!holds()) {
    if (loop.run_one_until(limit) == 0) FAIL("the condition did not come true");
  }
}

/// A coroutine's result, filled in while the loop runs.
template <class T>
struct Outcome {
  std::optional<T> value;
  std::exception_ptr thrown;
  bool ended() const { return value || thrown; }
};

template <class T>
std::shared_ptr<Outcome<T>> spawn(asio::io_context& loop, Awaitable<T> task) {
  auto outcome = std::make_shared<Outcome<T>>();
  asio::co_spawn(loop, std::move(task), [outcome](std::exception_ptr thrown, T value) {
    outcome->thrown = thrown;
    if (!thrown) outcome->value.emplace(std::move(value));
  });
  return outcome;
}

inline sql::Error in_doubt() { return {sql::Trouble::in_doubt, "", "the answer never came"}; }
inline sql::Error not_connected() { return {sql::Trouble::not_connected, "", "nobody there"}; }
inline sql::Error refusal(const char* state) { return {sql::Trouble::refused, state, "no"}; }

}  // namespace reconciled::test
