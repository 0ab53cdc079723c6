// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_provider.hpp"

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <sstream>
#include <thread>

namespace reconciled::test {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Request = http::request<http::string_body>;

constexpr std::chrono::milliseconds kBetweenDribbles{20};

/// The next close sends a reset.
void reset_on_close(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(asio::socket_base::linger{true, 0}, ignored);
}

std::string head_of(const Reply& reply, std::size_t length) {
  std::ostringstream head;
  head << "HTTP/1.1 " << reply.status << " "
       << http::obsolete_reason(static_cast<http::status>(reply.status)) << "\r\n";
  if (!reply.how.type.empty()) head << "Content-Type: " << reply.how.type << "\r\n";
  if (reply.how.gzip) head << "Content-Encoding: gzip\r\n";
  for (const auto& [name, value] : reply.how.headers) head << name << ": " << value << "\r\n";
  if (reply.status != 204) head << "Content-Length: " << length << "\r\n";
  head << "\r\n";
  return head.str();
}

asio::awaitable<bool> send(tcp::socket& socket, std::string_view bytes) {
  error_code error;
  co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

asio::awaitable<void> pause(tcp::socket& socket, std::chrono::milliseconds time) {
  asio::steady_timer timer{socket.get_executor(), time};
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> wait_until_gone(tcp::socket& socket) {
  std::array<char, 256> sink{};
  error_code error;
  while (!error) {
    co_await socket.async_read_some(asio::buffer(sink),
                                    asio::redirect_error(asio::use_awaitable, error));
  }
}

asio::awaitable<bool> dribble(tcp::socket& socket, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (!co_await send(socket, bytes.substr(i, 1))) co_return false;
    co_await pause(socket, kBetweenDribbles);
  }
  co_return true;
}

/// True if the connection may be used for another request.
asio::awaitable<bool> deliver(tcp::socket& socket, const Reply& reply) {
  const auto& how = reply.how;
  if (how.delay.count() > 0) co_await pause(socket, how.delay);
  const auto body = how.gzip ? gzipped(reply.body) : reply.body;
  const auto head = head_of(reply, body.size() + (how.cut == Cut::wrong_length ? 10 : 0));
  switch (how.cut) {
    case Cut::none:
      break;
    case Cut::close:
      co_return false;
    case Cut::never:
      co_await wait_until_gone(socket);
      co_return false;
    case Cut::before_answer:
      reset_on_close(socket);
      co_return false;
    case Cut::mid_headers:
      co_await send(socket, std::string_view{head}.substr(0, head.size() / 2));
      reset_on_close(socket);
      co_return false;
    case Cut::mid_body:
      co_await send(socket, head + body.substr(0, body.size() / 2));
      reset_on_close(socket);
      co_return false;
    case Cut::wrong_length:
      co_await send(socket, head + body);
      co_return false;
  }
  if (how.dribble) co_return co_await dribble(socket, head + body);
  co_return co_await send(socket, head + body);
}

Seen seen(const Request& request, int connection) {
  Seen it;
  it.method = std::string{request.method_string()};
  it.target = std::string{request.target()};
  it.body = request.body();
  it.connection = connection;
  for (const auto& field : request) {
    it.headers.emplace_back(std::string{field.name_string()}, std::string{field.value()});
  }
  return it;
}

Reply control(TestWorld& world, const std::string& lines) {
  std::istringstream in{lines};
  std::string line;
  try {
    while (std::getline(in, line)) {
      if (!line.empty()) world.apply(line);
    }
  } catch (const std::exception& wrong) {
    return {400, std::string{wrong.what()} + "\n", {}};
  }
  return {200, "{}", {}};
}

Reply answer_to(TestWorld& world, const Request& request, int connection) {
  if (request.target() == "/_control") return control(world, request.body());
  if (request.target() == "/_ledger") return {200, world.ledger(), {}};
  return world.respond(seen(request, connection));
}

}  // namespace

struct TestProvider::Server {
  Server(TestWorld& of, std::uint16_t port)
      : world(of), acceptor(context, {asio::ip::make_address("127.0.0.1"), port}) {
    asio::co_spawn(context, accept(), asio::detached);
    thread = std::thread{[this] { context.run(); }};
  }
  ~Server() {
    context.stop();
    thread.join();
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  asio::awaitable<void> accept() {
    for (;;) {
      error_code error;
      auto socket =
          co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
      asio::co_spawn(context, serve(std::move(socket), ++accepted), asio::detached);
    }
  }

  asio::awaitable<void> serve(tcp::socket socket, int connection) {
    boost::beast::flat_buffer buffer;
    socket.set_option(tcp::no_delay{true});
    for (bool open = true; open;) {
      Request request;
      error_code error;
      co_await http::async_read(socket, buffer, request,
                                asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return;
      const auto reply = answer_to(world, request, connection);
      open = co_await deliver(socket, reply) && request.keep_alive();
    }
  }

  TestWorld& world;
  asio::io_context context{1};
  tcp::acceptor acceptor;
  std::atomic<int> accepted{0};
  std::thread thread;
};

TestProvider::TestProvider(std::uint16_t port) : server_(std::make_unique<Server>(*this, port)) {}
TestProvider::~TestProvider() = default;

std::uint16_t TestProvider::port() const { return server_->acceptor.local_endpoint().port(); }
std::string TestProvider::base_url() const { return "http://127.0.0.1:" + std::to_string(port()); }
int TestProvider::connections() const { return server_->accepted; }

}  // namespace reconciled::test
