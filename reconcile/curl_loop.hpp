// SPDX-License-Identifier: Apache-2.0
// libcurl's multi handle on the process's one event loop. Not thread-safe: everything happens on
// the executor's one thread.
#pragma once

#include <curl/curl.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "base/time.hpp"

namespace reconciled {

/// Sockets stay curl's: they are watched through an epoll set of our own, which is all that Asio
/// knows of. So a socket that curl closes leaves nothing behind, and its number may come again at
/// once. Without a transfer nothing is waited for: no wake-up, and a loop without other work ends.
class CurlLoop {
 public:
  using Finished = std::function<void(CURL*, CURLcode)>;

  /// `finished` is called for each transfer that ended by itself, outside of libcurl, after the
  /// handle was taken off the loop. `connections`: how many idle ones are kept.
  /// Throws std::system_error or std::bad_alloc where the kernel or libcurl has no more to give.
  CurlLoop(const boost::asio::any_io_executor& executor, long connections, Finished finished);
  ~CurlLoop();
  CurlLoop(const CurlLoop&) = delete;
  CurlLoop& operator=(const CurlLoop&) = delete;

  void add(CURL* easy);
  /// Ends a transfer early. Never blocks, also while a name is being resolved.
  void remove(CURL* easy);

 private:
  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  void watch(curl_socket_t socket, int what, bool known);
  void wake_at(std::optional<SteadyTime> due);
  void arm_timer();
  void post_turn();
  void wait_for_sockets();
  void serve_sockets();
  void serve_timeout();
  void collect_finished();
  void one_less();

  boost::asio::any_io_executor executor_;
  Finished finished_;
  CURLM* multi_;
  boost::asio::posix::stream_descriptor epoll_;
  boost::asio::steady_timer timer_;
  std::optional<SteadyTime> due_;    // when libcurl wants to be called
  std::optional<SteadyTime> armed_;  // when the timer fires: due_ or earlier
  int transfers_ = 0;
  bool waiting_ = false;
  bool turn_posted_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // handlers may outlive us in the queue
};

}  // namespace reconciled
