// SPDX-License-Identifier: Apache-2.0
#include "tests/support/proxy.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/awaitable.hpp"

namespace reconciled::test {
namespace asio = boost::asio;
namespace {

using Socket = asio::generic::stream_protocol::socket;
using Endpoint = asio::generic::stream_protocol::endpoint;
using boost::system::error_code;

constexpr std::size_t kReadMax = std::size_t{64} * 1024;

Endpoint read_upstream(const std::string& upstream) {
  if (upstream.starts_with('/')) {
    return asio::local::stream_protocol::endpoint(upstream);
  }
  const auto colon = upstream.rfind(':');
  error_code ignored;
  const auto host = asio::ip::make_address(upstream.substr(0, colon), ignored);
  const auto port = colon == std::string::npos ? 0 : std::atoi(upstream.c_str() + colon + 1);
  if (ignored || port <= 0 || port > 65535) {
    throw std::invalid_argument("upstream '" + upstream +
                                "': want ADDRESS:PORT or /path/of/socket");
  }
  return asio::ip::tcp::endpoint(host, static_cast<std::uint16_t>(port));
}

struct Connection {
  Connection(Socket from, std::unique_ptr<Relay> with)
      : client(std::move(from)), server(client.get_executor()), relay(std::move(with)) {}

  /// The client sees ECONNRESET, not an orderly end; the server sees the end of the connection.
  void reset() {
    error_code ignored;
    client.set_option(asio::socket_base::linger(true, 0), ignored);
    client.close(ignored);
    server.close(ignored);
  }

  Socket client;
  Socket server;
  std::unique_ptr<Relay> relay;
};

}  // namespace

class Proxy::Impl {
 public:
  Impl(Protocol protocol, const std::string& upstream, std::uint16_t port)
      : protocol_(protocol),
        upstream_(read_upstream(upstream)),
        acceptor_(io_, {asio::ip::address_v4::loopback(), port}),
        next_plan_(io_, asio::steady_timer::time_point::max()) {
    asio::co_spawn(io_, accept(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }

  ~Impl() {
    io_.stop();
    thread_.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  const Gate& gate() const { return gate_; }

  void set(Plan plan) {
    gate_.set(std::move(plan));
    asio::post(io_, [this] {
      ++plans_;
      next_plan_.cancel();
    });
  }

  void reset_all() {
    asio::post(io_, [this] {
      for (const auto& connection : open_) {
        connection->reset();
      }
    });
  }

 private:
  using Shared = std::shared_ptr<Connection>;
  using Direction = Passage (Relay::*)(std::string_view);

  Awaitable<void> accept() {
    for (;;) {  // ends with the proxy
      auto client = co_await acceptor_.async_accept(asio::use_awaitable);
      auto connection =
          std::make_shared<Connection>(Socket(std::move(client)), make_relay(protocol_, gate_));
      gate_.connected();
      if (gate_.fault() == Fault::refuse) {
        connection->reset();
      } else {
        asio::co_spawn(io_, join(std::move(connection)), asio::detached);
      }
    }
  }

  Awaitable<void> join(Shared connection) {
    error_code failed;
    co_await connection->server.async_connect(upstream_,
                                              asio::redirect_error(asio::use_awaitable, failed));
    if (failed) {
      connection->reset();
      co_return;
    }
    // Small messages go at once; a Unix socket has no such option.
    connection->client.set_option(asio::ip::tcp::no_delay(true), failed);
    connection->server.set_option(asio::ip::tcp::no_delay(true), failed);
    open_.insert(connection);
    asio::co_spawn(io_,
                   pump(connection, connection->client, connection->server, &Relay::from_client),
                   asio::detached);
    co_await pump(connection, connection->server, connection->client, &Relay::from_server);
    open_.erase(connection);
  }

  /// Returns at once if `known` is no longer the newest plan.
  Awaitable<void> wait_for_plan_after(int known) {
    while (plans_ == known) {
      error_code ignored;
      co_await next_plan_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
  }

  /// One direction, until either side ends it; then both end.
  Awaitable<void> pump(Shared connection, Socket& from, Socket& to, Direction direction) {
    std::array<char, kReadMax> buffer{};
    error_code failed;
    auto token = asio::redirect_error(asio::use_awaitable, failed);
    for (;;) {
      const auto size = co_await from.async_read_some(asio::buffer(buffer), token);
      while (gate_.fault() == Fault::black_hole) {  // the end of a connection does not pass either
        co_await wait_for_plan_after(plans_);
      }
      if (failed) {
        break;
      }
      const int plan = plans_;
      const auto passage = (*connection->relay.*direction)({buffer.data(), size});
      if (passage.then == Passage::Then::reset) {
        connection->reset();
        co_return;
      }
      co_await asio::async_write(to, asio::buffer(passage.forward), token);
      if (passage.then == Passage::Then::hold) {
        co_await wait_for_plan_after(plan);
        co_await asio::async_write(to, asio::buffer(passage.after_hold), token);
      }
      if (failed) {
        break;
      }
    }
    error_code ignored;
    connection->client.close(ignored);
    connection->server.close(ignored);
  }

  Protocol protocol_;
  Endpoint upstream_;
  Gate gate_;
  asio::io_context io_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer next_plan_;
  std::set<Shared> open_;
  int plans_ = 0;  // touched on the proxy's thread alone
  std::thread thread_;
};

Proxy::Proxy(Protocol protocol, const std::string& upstream, std::uint16_t port)
    : impl_(std::make_unique<Impl>(protocol, upstream, port)) {}
Proxy::~Proxy() = default;
std::uint16_t Proxy::port() const { return impl_->port(); }
void Proxy::set(Plan plan) { impl_->set(std::move(plan)); }
void Proxy::reset_all() { impl_->reset_all(); }
Counts Proxy::counts() const { return impl_->gate().counts(); }
bool Proxy::wait_for_hits(int hits) const { return impl_->gate().wait_for_hits(hits); }

}  // namespace reconciled::test
