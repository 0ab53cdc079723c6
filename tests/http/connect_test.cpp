// SPDX-License-Identifier: Apache-2.0
// Connections and names that never come to be (tests/faults.md H1, H2, N1; tests/cases.md B32).
// Names are resolved by this file's getaddrinfo, which stands before the C library's.
#include <netdb.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string_view>

#include "tests/support/catch.hpp"
#include "tests/support/http_bench.hpp"
#include "tests/support/test_provider.hpp"

using namespace reconciled;
using namespace reconciled::test;
namespace asio = boost::asio;

namespace {

/// What the resolver does, for all of its threads. `silent.test` is not answered before release().
class Resolver {
 public:
  void wait_for_release() {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.wait(lock, [&] { return released_; });
  }
  void silence() {
    const std::lock_guard lock(mutex_);
    released_ = false;
    asked_ = 0;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = true;
  int asked_ = 0;
};

Resolver& resolver() {
  static auto* const one = new Resolver;  // its threads may outlive everything else
  return *one;
}

addrinfo* address(std::uint8_t last, const char* service, addrinfo* next) {
  auto* const info = static_cast<addrinfo*>(std::calloc(1, sizeof(addrinfo)));
  auto* const to = static_cast<sockaddr_in*>(std::calloc(1, sizeof(sockaddr_in)));
  to->sin_family = AF_INET;
  to->sin_port = htons(static_cast<std::uint16_t>(std::atoi(service)));
  to->sin_addr.s_addr = htonl(0x7f000000U + last);
  info->ai_family = AF_INET;
  info->ai_socktype = SOCK_STREAM;
  info->ai_protocol = IPPROTO_TCP;
  info->ai_addrlen = sizeof(sockaddr_in);
  info->ai_addr = reinterpret_cast<sockaddr*>(to);
  info->ai_next = next;
  return info;
}

const std::map<std::string_view, int> kFaults{{"unknown.test", EAI_NONAME},
                                              {"servfail.test", EAI_FAIL},
                                              {"timeout.test", EAI_AGAIN},
                                              {"empty.test", EAI_NODATA}};

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* /*hints*/,
                           addrinfo** result) {
  const std::string_view name = node == nullptr ? "" : node;
  if (const auto fault = kFaults.find(name); fault != kFaults.end()) return fault->second;
  if (name == "silent.test") {
    resolver().wait_for_release();
    return EAI_AGAIN;
  }
  // Nobody listens on the first address of two.
  auto* const good = address(1, service == nullptr ? "0" : service, nullptr);
  *result = name == "two.test" ? address(9, service == nullptr ? "0" : service, good) : good;
  return 0;
}

extern "C" void freeaddrinfo(addrinfo* info) {
  while (info != nullptr) {
    auto* const next = info->ai_next;
    std::free(info->ai_addr);
    std::free(info);
    info = next;
  }
}

namespace {

struct Bench {
  explicit Bench(Duration connect_timeout = kAmple)
      : client(loop.get_executor(), {.connect_timeout = connect_timeout}, "") {}

  HttpFailure failure(const std::string& url) {
    return std::get<HttpFailure>(ask(loop, client, get(url)));
  }
  std::string at(const std::string& host) const {
    return "http://" + host + ":" + std::to_string(provider.port()) + "/v1/credits?key=K";
  }

  TestProvider provider;
  asio::io_context loop{1};
  HttpClient client;
};

/// Listens and never accepts; with `full`, not even the kernel does.
class DeafServer {
 public:
  explicit DeafServer(bool full) : acceptor_(loop_) {
    acceptor_.open(asio::ip::tcp::v4());
    acceptor_.bind({asio::ip::make_address("127.0.0.1"), 0});
    acceptor_.listen(0);
    for (int waiting = 0; full && waiting < 4; ++waiting) {
      auto& socket = fillers_.emplace_back(loop_, asio::ip::tcp::v4());
      socket.non_blocking(true);
      // Not by asio, which waits for the end of a connect() even then.
      const auto to = acceptor_.local_endpoint();
      if (connect(socket.native_handle(), to.data(), static_cast<socklen_t>(to.size())) != 0)
        CHECK(errno == EINPROGRESS);
    }
  }
  std::string authority() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  asio::io_context loop_;
  asio::ip::tcp::acceptor acceptor_;
  std::vector<asio::ip::tcp::socket> fillers_;
};

}  // namespace

TEST_CASE("H1: a connection that nobody answers ends by connect_timeout, and nothing was sent",
          "[http]") {
  const DeafServer server{true};
  Bench bench{100ms};
  CHECK_FALSE(bench.failure("http://" + server.authority() + "/").sent);
}

TEST_CASE("H2: a TLS handshake that never ends does by connect_timeout, and nothing was sent",
          "[http]") {
  const DeafServer server{false};
  Bench bench{100ms};
  CHECK_FALSE(bench.failure("https://" + server.authority() + "/").sent);
}

TEST_CASE("N1: a name that the resolver does not give an address for is not sent", "[http]") {
  Bench bench;
  for (const auto& [name, fault] : kFaults) {
    CAPTURE(name, fault);
    CHECK_FALSE(bench.failure(bench.at(std::string(name))).sent);
  }
  CHECK(bench.provider.connections() == 0);
}

TEST_CASE("N1: where the first address is dead the next one is asked", "[http]") {
  Bench bench;
  const auto reply = ask(bench.loop, bench.client, get(bench.at("two.test")));
  REQUIRE(std::holds_alternative<HttpAnswer>(reply));
  CHECK(std::get<HttpAnswer>(reply).status == 200);
}

TEST_CASE("N1: a name that takes for ever holds up nobody else, and ends by connect_timeout",
          "[http]") {
  Bench bench{2s};
  resolver().silence();
  std::optional<HttpReply> slow;
  const auto request = get(bench.at("silent.test"));
  asio::co_spawn(bench.loop, bench.client.send(request, SteadyClock::now() + kAmple),
                 [&](std::exception_ptr, HttpReply reply) { slow = std::move(reply); });
  while (resolver().asked() == 0) bench.loop.run_for(1ms);
  const auto other = ask(bench.loop, bench.client, get(bench.at("good.test")));
  CHECK(std::holds_alternative<HttpAnswer>(other));
  while (!slow && bench.loop.run_one() > 0) {
  }
  REQUIRE(slow.has_value());
  CHECK_FALSE(std::get<HttpFailure>(*slow).sent);
  resolver().release();
}

TEST_CASE("B32: a lookup is cancelled while its name is resolved, without waiting for that",
          "[http]") {
  resolver().silence();
  {
    Bench bench;
    asio::cancellation_signal signal;
    bool cancelled = false;
    const auto request = get(bench.at("silent.test"));
    asio::co_spawn(bench.loop, bench.client.send(request, SteadyClock::now() + kAmple),
                   asio::bind_cancellation_slot(signal.slot(),
                                                [&](std::exception_ptr error, const HttpReply&) {
                                                  cancelled = error != nullptr;
                                                }));
    while (resolver().asked() == 0) bench.loop.run_for(1ms);
    signal.emit(asio::cancellation_type::terminal);
    while (!cancelled && bench.loop.run_one() > 0) {
    }
    CHECK(cancelled);
  }
  resolver().release();  // only now: whoever waited for the resolver never came here
}
