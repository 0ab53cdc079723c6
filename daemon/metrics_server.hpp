// SPDX-License-Identifier: Apache-2.0
// Serves the metrics page over HTTP, to whoever asks and however slowly: on a thread and an event
// loop of its own, so that no scraper can hold up the work.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/awaitable.hpp"
#include "base/failures.hpp"
#include "base/time.hpp"

namespace reconciled {

class MetricsServer {
 public:
  using Page = std::function<std::string()>;

  /// Listens on HOST:PORT, as metrics.listen has it. `page` is called on the server's thread. A
  /// port in use, or an address that is not this host's, is a Failure (78) that says so.
  static Result<std::unique_ptr<MetricsServer>> open(const std::string& listen, Page page);
  /// Ends the connections that are open.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  int port() const { return acceptor_.local_endpoint().port(); }
  /// Pages served so far.
  std::uint64_t scrapes() const noexcept { return scrapes_; }

 private:
  explicit MetricsServer(Page page);

  Awaitable<void> accept();
  Awaitable<void> serve(std::shared_ptr<boost::asio::ip::tcp::socket> socket);
  Awaitable<void> converse(boost::asio::ip::tcp::socket& socket);
  std::string answer(std::string_view head);
  std::string page_answer(bool with_body);

  boost::asio::io_context loop_{1};
  boost::asio::ip::tcp::acceptor acceptor_{loop_};
  boost::asio::steady_timer room_{loop_};  // cancelled when a connection ends
  const Page page_;
  int connections_ = 0;
  std::atomic<std::uint64_t> scrapes_ = 0;
  std::thread thread_;
};

}  // namespace reconciled
