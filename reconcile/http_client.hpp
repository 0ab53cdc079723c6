// SPDX-License-Identifier: Apache-2.0
// HTTP as design §5 wants it: verified TLS, no redirects, no proxy, bounded answers, deadlines.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "reconcile/curl_loop.hpp"
#include "reconcile/curl_transfer.hpp"

namespace reconciled {

/// Keeps connections alive and uses them again. Belongs to one thread, the executor's, and must be
/// destroyed before the executor's context. Coroutines that still wait in send() then are not
/// resumed: they are destroyed with the client or with the context, which must not run any more.
class HttpClient {
 public:
  HttpClient(const boost::asio::any_io_executor& executor, HttpOptions options,
             std::string credential);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Used from the next request on.
  void set_credential(std::string credential);
  /// To be compared with, never to be shown.
  const std::string& credential() const noexcept { return credential_.secret; }

  /// One exchange, over by `deadline`. `request` must outlive the coroutine. Beyond max_in_flight
  /// requests wait for a place, in order; one whose place comes at `start_before` or later is not
  /// sent.
  /// What the peer or the network does is a reply; cancelling the coroutine ends the transfer and
  /// throws boost::system::system_error (operation_aborted).
  Awaitable<HttpReply> send(const HttpRequest& request, SteadyTime deadline,
                            SteadyTime start_before = SteadyTime::max());

 private:
  class Place;
  class Lease;

  Awaitable<void> finish(CurlTransfer& transfer);
  void give_place_back();
  void on_finished(CURL* easy, CURLcode result);
  void take_off(CurlTransfer& transfer);

  boost::asio::any_io_executor executor_;
  HttpOptions options_;
  Credential credential_;
  CurlLoop loop_;
  std::vector<std::unique_ptr<CurlTransfer>> transfers_;  // at most max_in_flight
  std::vector<CurlTransfer*> idle_;
  int places_taken_ = 0;
  std::deque<Place*> queue_;  // its length is bounded by what the caller has taken over
  std::shared_ptr<char> alive_ = std::make_shared<char>();  // coroutines may outlive us, asleep
};

}  // namespace reconciled
