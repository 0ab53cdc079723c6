// SPDX-License-Identifier: Apache-2.0
// A client on a loop of its own, for tests that ask a provider.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>

#include "reconcile/http_client.hpp"

namespace reconciled::test {

constexpr Duration kAmple = 20s;  ///< a deadline that only a broken test reaches

/// Runs the loop until this coroutine has ended, and no longer.
template <class T>
T run(boost::asio::io_context& loop, Awaitable<T> task) {
  std::optional<T> result;
  std::exception_ptr failed;
  boost::asio::co_spawn(loop, std::move(task), [&](std::exception_ptr error, T value) {
    failed = error;
    result = std::move(value);
  });
  loop.restart();
  while (!result && loop.run_one() > 0) {
  }
  if (failed) std::rethrow_exception(failed);
  return std::move(result.value());
}

inline HttpReply ask(boost::asio::io_context& loop, HttpClient& client, const HttpRequest& request,
                     Duration within = kAmple) {
  return run(loop, client.send(request, SteadyClock::now() + within));
}

inline HttpRequest get(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

}  // namespace reconciled::test
