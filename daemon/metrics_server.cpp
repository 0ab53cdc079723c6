// SPDX-License-Identifier: Apache-2.0
#include "daemon/metrics_server.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace reconciled {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

constexpr auto kQuietly = asio::as_tuple(asio::use_awaitable);

/// What one host's scrapers need, many times over; more wait in the listen queue.
constexpr int kConnectionsMost = 32;
constexpr std::size_t kRequestMost = 8192;
/// From accepting to the answer's last byte.
constexpr Duration kConversationMost = 10s;
/// After an accept that failed for lack of descriptors or memory.
constexpr Duration kAcceptAgain = 1s;

std::string response(std::string_view status, std::string_view type, std::string_view body,
                     std::string_view more = "") {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n{}\r\n{}",
      status, type, body.size(), more, body);
}

std::string refusal(std::string_view status, std::string_view more = "") {
  return response(status, "text/plain; charset=utf-8", fmt::format("{}\n", status), more);
}

/// "[::1]:9464" as its two parts. settings_checks has judged the form.
std::pair<std::string, std::string> host_and_port(const std::string& listen) {
  const auto colon = listen.rfind(':');
  auto host = listen.substr(0, colon);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {host, listen.substr(colon + 1)};
}

}  // namespace

MetricsServer::MetricsServer(Page page) : page_(std::move(page)) {}

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(const std::string& listen, Page page) {
  std::unique_ptr<MetricsServer> server(new MetricsServer(std::move(page)));
  const auto [host, port] = host_and_port(listen);
  boost::system::error_code error;
  const auto found =
      tcp::resolver(server->loop_).resolve(host, port, tcp::resolver::passive, error);
  auto& acceptor = server->acceptor_;
  if (!error) {
    const auto endpoint = found.begin()->endpoint();
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  }
  if (error)
    return Failure{ExitCode::configuration,
                   "metrics.listen: cannot listen on " + listen + ": " + error.message(),
                   "give each daemon of a host an address of its own, or \"\" for no metrics"};
  asio::co_spawn(server->loop_, server->accept(), asio::detached);
  server->thread_ = std::thread([loop = &server->loop_] { loop->run(); });
  return server;
}

MetricsServer::~MetricsServer() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

Awaitable<void> MetricsServer::accept() {
  for (;;) {
    if (connections_ >= kConnectionsMost) {
      room_.expires_at(SteadyTime::max());
      co_await room_.async_wait(kQuietly);
      continue;
    }
    auto [error, socket] = co_await acceptor_.async_accept(kQuietly);
    if (error) {
      room_.expires_after(kAcceptAgain);
      co_await room_.async_wait(kQuietly);
      continue;
    }
    ++connections_;
    asio::co_spawn(loop_, serve(std::make_shared<tcp::socket>(std::move(socket))),
                   [this](const std::exception_ptr&) {
                     --connections_;
                     room_.cancel();
                   });
  }
}

Awaitable<void> MetricsServer::serve(std::shared_ptr<tcp::socket> socket) {
  asio::steady_timer deadline(loop_, kConversationMost);
  deadline.async_wait([socket](const boost::system::error_code& error) {
    boost::system::error_code ignored;
    if (!error) socket->close(ignored);
  });
  co_await converse(*socket);
}

Awaitable<void> MetricsServer::converse(tcp::socket& socket) {
  std::string request;
  const auto [error, size] = co_await asio::async_read_until(
      socket, asio::dynamic_buffer(request, kRequestMost), "\r\n\r\n", kQuietly);
  if (error && error != asio::error::not_found) co_return;
  const auto said = error ? refusal("431 Request Header Fields Too Large")
                          : answer(std::string_view(request).substr(0, size));
  const auto [unsent, count] = co_await asio::async_write(socket, asio::buffer(said), kQuietly);
  boost::system::error_code ignored;
  if (!unsent) socket.shutdown(tcp::socket::shutdown_send, ignored);
}

/// By the request's first line; its headers and what follows them change nothing.
std::string MetricsServer::answer(std::string_view head) {
  const auto line = head.substr(0, head.find("\r\n"));
  const auto method = line.substr(0, line.find(' '));
  if (method.size() == line.size() || !line.ends_with(" HTTP/1.1")) {
    if (!line.ends_with(" HTTP/1.0")) return refusal("400 Bad Request");
  }
  auto target = line.substr(method.size() + 1);
  target = target.substr(0, target.find_first_of(" ?"));
  if (method != "GET" && method != "HEAD")
    return refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
  if (target != "/metrics") return refusal("404 Not Found");
  return page_answer(method == "GET");
}

std::string MetricsServer::page_answer(bool with_body) {
  ++scrapes_;
  auto text = response("200 OK", "text/plain; version=0.0.4; charset=utf-8", page_());
  if (!with_body) text.resize(text.find("\r\n\r\n") + 4);
  return text;
}

}  // namespace reconciled
