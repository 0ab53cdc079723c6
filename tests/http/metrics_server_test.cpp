// SPDX-License-Identifier: Apache-2.0
// The metrics page over HTTP, and what scrapers can do to it.
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <list>
#include <string>

#include "daemon/metrics_server.hpp"
#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

const std::string kPage = "reconciled_due_operations 3\n";

std::unique_ptr<MetricsServer> serve(const std::string& page = kPage,
                                     const std::string& listen = "127.0.0.1:0") {
  auto server = MetricsServer::open(listen, [page] { return page; });
  REQUIRE(server.has_value());
  return std::move(*server);
}

tcp::socket connect(asio::io_context& loop, const MetricsServer& server) {
  tcp::socket socket(loop);
  socket.connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(server.port())});
  return socket;
}

/// All that is answered to these bytes, until the server closes.
std::string said_to(const MetricsServer& server, const std::string& request) {
  asio::io_context loop;
  auto socket = connect(loop, server);
  boost::system::error_code error;
  asio::write(socket, asio::buffer(request), error);
  std::string said;
  asio::read(socket, asio::dynamic_buffer(said), error);
  return said;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find("\r\n")); }

TEST_CASE("a scrape gets the page in Prometheus's text format", "[metrics]") {
  const auto server = serve();
  const auto said = said_to(*server, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(first_line(said) == "HTTP/1.1 200 OK");
  CHECK(said.find("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n") !=
        std::string::npos);
  CHECK(said.find("\r\nContent-Length: 28\r\n") != std::string::npos);
  CHECK(said.ends_with("\r\n\r\n" + kPage));
  CHECK(server->scrapes() == 1);
}

TEST_CASE("requests that are no scrape are answered as HTTP says", "[metrics]") {
  const auto server = serve();
  const auto status = [&](const std::string& request) {
    return first_line(said_to(*server, request + "\r\n\r\n"));
  };
  CHECK(status("GET /metrics?x=1 HTTP/1.0") == "HTTP/1.1 200 OK");
  CHECK(status("GET / HTTP/1.1") == "HTTP/1.1 404 Not Found");
  CHECK(status("GET /metricsx HTTP/1.1") == "HTTP/1.1 404 Not Found");
  CHECK(status("POST /metrics HTTP/1.1") == "HTTP/1.1 405 Method Not Allowed");
  CHECK(status("GET /metrics") == "HTTP/1.1 400 Bad Request");
  CHECK(status("GET") == "HTTP/1.1 400 Bad Request");
  CHECK(status("") == "HTTP/1.1 400 Bad Request");
  CHECK(status("\x16\x03\x01 HTTP/1.1") == "HTTP/1.1 405 Method Not Allowed");
  CHECK(status("GET /" + std::string(9000, 'a') + " HTTP/1.1") ==
        "HTTP/1.1 431 Request Header Fields Too Large");
  const auto head = said_to(*server, "HEAD /metrics HTTP/1.1\r\n\r\n");
  CHECK(first_line(head) == "HTTP/1.1 200 OK");
  CHECK(head.ends_with("\r\n\r\n"));
}

TEST_CASE("R10: scrapers that say or read nothing keep nobody else from the page", "[metrics]") {
  // More than a socket's buffers take, so that it stays unread.
  const auto server = serve(std::string(64 << 20, 'x'));
  asio::io_context loop;
  std::list<tcp::socket> idle;
  for (int i = 0; i < 8; ++i) idle.push_back(connect(loop, *server));
  for (int i = 0; i < 8; ++i) {
    idle.push_back(connect(loop, *server));
    asio::write(idle.back(), asio::buffer(std::string("GET /metrics HTTP/1.1\r\n\r\n")));
  }
  CHECK(first_line(said_to(*server, "GET / HTTP/1.1\r\n\r\n")) == "HTTP/1.1 404 Not Found");
}

TEST_CASE("R10: more scrapers than the server holds are served when others have gone",
          "[metrics]") {
  const auto server = serve();
  asio::io_context loop;
  std::list<tcp::socket> many;
  for (int i = 0; i < 100; ++i) many.push_back(connect(loop, *server));
  for (auto& socket : many) {
    asio::write(socket, asio::buffer(std::string("GET /metrics HTTP/1.1\r\n\r\n")));
    boost::system::error_code error;
    std::string said;
    asio::read(socket, asio::dynamic_buffer(said), error);
    CHECK(first_line(said) == "HTTP/1.1 200 OK");
  }
}

TEST_CASE("B40: a port in use is a failure that says what to do", "[metrics]") {
  const auto first = serve();
  const auto listen = "127.0.0.1:" + std::to_string(first->port());
  const auto second = MetricsServer::open(listen, [] { return kPage; });
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ExitCode::configuration);
  CHECK(to_string(second.error()).find(listen + ": Address already in use") != std::string::npos);
  CHECK(to_string(second.error()).find("an address of its own") != std::string::npos);
}

TEST_CASE("an address that is not this host's is a failure", "[metrics]") {
  for (const auto* listen : {"192.0.2.1:9464", "no-such-host.invalid:9464"}) {
    INFO(listen);
    CHECK(MetricsServer::open(listen, [] { return kPage; }).has_error());
  }
}

TEST_CASE("it ends while connections are open", "[metrics]") {
  auto server = serve();
  asio::io_context loop;
  auto socket = connect(loop, *server);
  server.reset();
  char byte = 0;
  boost::system::error_code error;
  asio::read(socket, asio::buffer(&byte, 1), error);
  CHECK(error);
}

}  // namespace
}  // namespace reconciled::test
