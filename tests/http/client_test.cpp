// SPDX-License-Identifier: Apache-2.0
// The client against everything that a peer and a network can do (tests/faults.md H1 to H7, H19,
// H20).
#include <sys/resource.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/support/catch.hpp"
#include "tests/support/http_bench.hpp"
#include "tests/support/test_provider.hpp"

using namespace reconciled;
using namespace reconciled::test;
namespace asio = boost::asio;

namespace {

const std::string kSecret = "s3cr3t-token";

HttpOptions options() { return {.auth = {.kind = Auth::Kind::bearer}, .max_answer = 64 * 1024}; }

struct Bench {
  explicit Bench(HttpOptions with = options())
      : client(loop.get_executor(), std::move(with), kSecret) {}

  HttpRequest lookup(const std::string& key = "K") const {
    return get(provider.base_url() + "/v1/credits?key=" + key);
  }
  HttpReply asked(const std::string& key = "K", Duration within = kAmple) {
    return ask(loop, client, lookup(key), within);
  }
  HttpAnswer answer(const std::string& key = "K") { return std::get<HttpAnswer>(asked(key)); }
  HttpFailure failure(const std::string& key = "K", Duration within = kAmple) {
    auto failed = std::get<HttpFailure>(asked(key, within));
    CHECK_FALSE(failed.why.empty());
    CHECK(failed.why.find(kSecret) == std::string::npos);
    CHECK(failed.why.find("key=") == std::string::npos);
    return failed;
  }

  TestProvider provider;
  asio::io_context loop{1};
  HttpClient client;
};

std::uint16_t closed_port() {
  asio::io_context loop;
  asio::ip::tcp::acceptor acceptor{loop, {asio::ip::make_address("127.0.0.1"), 0}};
  return acceptor.local_endpoint().port();
}

/// A home directory whose .netrc holds this, while it lives.
struct TemporaryHome {
  explicit TemporaryHome(const std::string& netrc) {
    std::string pattern = (std::filesystem::temp_directory_path() / "client_test.XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    path = pattern;
    std::ofstream{path + "/.netrc"} << netrc;
    if (const auto* before = std::getenv("HOME")) was = before;
    setenv("HOME", path.c_str(), 1);
  }
  ~TemporaryHome() {
    setenv("HOME", was.c_str(), 1);
    std::filesystem::remove_all(path);
  }
  TemporaryHome(const TemporaryHome&) = delete;
  TemporaryHome& operator=(const TemporaryHome&) = delete;

  std::string path;
  std::string was;
};

}  // namespace

TEST_CASE("an answer comes back with status, lower-case headers and body", "[http]") {
  Bench bench;
  bench.provider.always(
      "K", {.status = 418, .headers = {{"X-Many", "one"}, {"X-MANY", " two "}}, .body = "{}"});
  const auto answer = bench.answer();
  CHECK(answer.status == 418);
  CHECK(answer.body == "{}");
  CHECK(answer.header("content-type") == "application/json");
  CHECK(answer.header("x-many") == "one");
  CHECK(std::ranges::count(answer.headers, std::pair<std::string, std::string>{"x-many", "two"}) ==
        1);
}

TEST_CASE("the credential is sent as the profile says, and a new one from the next request on",
          "[http]") {
  auto with = options();
  std::string expected;
  std::string header = "Authorization";
  SECTION("bearer") { expected = "Bearer " + kSecret; }
  SECTION("basic, the user alone") {
    with.auth.kind = Auth::Kind::basic;
    expected = "Basic czNjcjN0LXRva2VuOg==";
  }
  SECTION("a header of its own") {
    with.auth = {.kind = Auth::Kind::header, .header_name = "X-Api-Key"};
    header = "X-Api-Key";
    expected = kSecret;
  }
  SECTION("none") { with.auth.kind = Auth::Kind::none; }
  Bench bench{with};
  bench.answer();
  CHECK(bench.provider.requests().at(0).header(header) == expected);
  if (expected.empty()) return;
  bench.client.set_credential("fresh:word");
  bench.answer();
  const auto sent = bench.provider.requests().at(1).header(header);
  CHECK(sent != expected);
  CHECK((sent.find("fresh:word") != std::string::npos || sent == "Basic ZnJlc2g6d29yZA=="));
}

TEST_CASE("headers, method and body are sent as given, on a handle used before too", "[http]") {
  Bench bench;
  bench.answer();
  auto request = bench.lookup();
  request.method = HttpMethod::post;
  request.headers = {{"Example-Version", "2026-01-01"}, {"X-Empty", ""}};
  request.body = R"({"a":1})";
  ask(bench.loop, bench.client, request);
  bench.answer();
  const auto requests = bench.provider.requests();
  CHECK(requests.at(1).method == "POST");
  CHECK(requests.at(1).body == request.body);
  CHECK(requests.at(1).header("Content-Type") == "application/json");
  CHECK(requests.at(1).header("Example-Version") == "2026-01-01");
  CHECK(requests.at(2).method == "GET");
  CHECK(requests.at(2).body.empty());
  CHECK(requests.at(2).header("Example-Version").empty());
  CHECK(requests.at(2).header("Content-Type").empty());
}

TEST_CASE("H1: a refused connection is established as not sent", "[http]") {
  Bench bench;
  const auto url = "http://127.0.0.1:" + std::to_string(closed_port()) + "/v1?key=K";
  const auto failed = std::get<HttpFailure>(ask(bench.loop, bench.client, get(url)));
  CHECK_FALSE(failed.sent);
  CHECK(failed.why.find("key=") == std::string::npos);
}

TEST_CASE("N1: a name that does not resolve is not sent", "[http]") {
  Bench bench;
  const auto failed = std::get<HttpFailure>(
      ask(bench.loop, bench.client, get("http://no-such-host.invalid/v1/credits")));
  CHECK_FALSE(failed.sent);
}

TEST_CASE("an address that is not http is not sent", "[http]") {
  Bench bench;
  for (const auto* url : {"file:///etc/hostname", "ftp://127.0.0.1/", "nonsense", ""}) {
    CHECK_FALSE(std::get<HttpFailure>(ask(bench.loop, bench.client, get(url))).sent);
  }
}

TEST_CASE("H1, H4: an answer that is cut off anywhere is no answer, and counts as sent", "[http]") {
  for (const auto cut :
       {Cut::before_answer, Cut::close, Cut::mid_headers, Cut::mid_body, Cut::wrong_length}) {
    CAPTURE(static_cast<int>(cut));
    Bench bench;
    bench.provider.always("K", {.body = std::string(2000, ' '), .cut = cut});
    CHECK(bench.failure().sent);
    bench.provider.forget_scripts();
    CHECK(bench.answer().status == 200);
  }
}

TEST_CASE("H1: a cut on a connection used before is no answer either", "[http]") {
  Bench bench;
  bench.answer();
  bench.provider.always("K", {.cut = Cut::before_answer});
  CHECK(bench.failure().sent);
}

TEST_CASE("H2, H3: silence and dribble end at the deadline", "[http]") {
  Bench bench;
  bench.provider.always("silent", {.cut = Cut::never});
  bench.provider.always("slow", {.body = std::string(60'000, ' '), .dribble = true});
  CHECK(bench.failure("silent", 100ms).sent);
  CHECK(bench.failure("slow", 100ms).sent);
}

TEST_CASE("a deadline that has passed sends nothing", "[http]") {
  Bench bench;
  CHECK_FALSE(bench.failure("K", 0s).sent);
  CHECK_FALSE(bench.failure("K", -1s).sent);
  CHECK(bench.provider.request_count() == 0);
}

TEST_CASE("H7: a redirect is an answer, and nobody else hears of it", "[http]") {
  Bench bench;
  const TestProvider elsewhere;
  for (const int status : {301, 302, 303, 307, 308}) {
    bench.provider.always(
        "K", {.status = status, .headers = {{"Location", elsewhere.base_url() + "/v1/credits"}}});
    CHECK(bench.answer().status == status);
  }
  CHECK(elsewhere.connections() == 0);
}

TEST_CASE("H5: an answer larger than allowed is ended, one as large as allowed is not", "[http]") {
  Bench bench;
  bench.provider.always("fits", {.body = std::string(64 * 1024, 'x')});
  bench.provider.always("huge", {.body = std::string(64 * 1024 + 1, 'x')});
  CHECK(bench.answer("fits").body.size() == 64 * 1024);
  CHECK(bench.failure("huge").why.find("max_answer") != std::string::npos);
}

TEST_CASE("gzip is unpacked; what only claims to be gzip is no answer", "[http]") {
  Bench bench;
  bench.provider.always("K", {.body = R"({"data":[]})", .gzip = true});
  CHECK(bench.answer().body == R"({"data":[]})");
  for (const auto* claimed : {"gzip", "br", "unheard-of"}) {
    CAPTURE(claimed);
    bench.provider.always("K", {.headers = {{"Content-Encoding", claimed}}, .body = "{}"});
    CHECK(bench.failure().sent);
  }
}

TEST_CASE("H5: a gzip bomb is ended by what it would unpack to", "[http]") {
  Bench bench;
  bench.provider.always("K", {.body = std::string(200UL * 1024 * 1024, '0'), .gzip = true});
  const auto packed = gzipped(std::string(1024UL * 1024, '0'));
  REQUIRE(packed.size() < 10'000);
  CHECK(bench.failure().why.find("max_answer") != std::string::npos);
}

TEST_CASE("H5: endless headers are ended", "[http]") {
  Bench bench;
  bench.provider.always("many", {.headers = Headers(kMostHeaders + 1, {"X", "y"})});
  bench.provider.always("long", {.headers = {{"X", std::string(90'000, 'y')}}});
  CHECK(bench.failure("many").sent);
  CHECK(bench.failure("long").sent);
}

TEST_CASE("H20: proxies of the environment are not asked", "[http]") {
  const TestProvider proxy;
  for (const auto* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    setenv(name, proxy.base_url().c_str(), 1);
  }
  Bench bench;
  CHECK(bench.answer().status == 200);
  for (const auto* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  CHECK(proxy.connections() == 0);
}

TEST_CASE("H20: a login of .netrc is not sent, and no cookie comes back", "[http]") {
  auto with = options();
  with.auth.kind = Auth::Kind::none;
  const TemporaryHome home{"machine 127.0.0.1 login mallory password x\n"};
  Bench bench{with};
  bench.provider.always("K", {.headers = {{"Set-Cookie", "a=b; Path=/"}}});
  bench.answer();
  bench.answer();
  for (const auto& request : bench.provider.requests()) {
    CHECK(request.header("Authorization").empty());
    CHECK(request.header("Cookie").empty());
  }
  CHECK(bench.provider.request_count() == 2);
}

TEST_CASE("H19: a provider that restarted while a connection was idle is asked anew", "[http]") {
  asio::io_context loop{1};
  HttpClient client{loop.get_executor(), options(), kSecret};
  auto provider = std::make_unique<TestProvider>();
  const auto port = provider->port();
  const auto request = get(provider->base_url() + "/v1/credits?key=K");
  CHECK(std::get<HttpAnswer>(ask(loop, client, request)).status == 200);
  provider.reset();
  provider = std::make_unique<TestProvider>(port);
  CHECK(std::get<HttpAnswer>(ask(loop, client, request)).status == 200);
}

TEST_CASE("a connection is kept and used again", "[http]") {
  Bench bench;
  for (int i = 0; i < 100; ++i) bench.answer();
  CHECK(bench.provider.connections() == 1);
}

TEST_CASE("B42: what the peer repeats of the credential is in no failure", "[http]") {
  Bench bench;
  bench.provider.always("K", {.headers = {{"Transfer-Encoding", kSecret}}});
  const auto reply = bench.asked();
  if (const auto* failed = std::get_if<HttpFailure>(&reply)) {
    CHECK(failed->why.find(kSecret) == std::string::npos);
  }
}

namespace {

/// All at once; how many were answered.
int asked_together(Bench& bench, int count, Duration within) {
  int answered = 0;
  int ended = 0;
  const auto one = [](Bench& on, int number, Duration limit) -> Awaitable<bool> {
    const auto request = on.lookup(std::to_string(number));
    const auto reply = co_await on.client.send(request, SteadyClock::now() + limit);
    co_return std::holds_alternative<HttpAnswer>(reply);
  };
  for (int i = 0; i < count; ++i) {
    asio::co_spawn(bench.loop, one(bench, i, within), [&](std::exception_ptr, bool was) {
      ++ended;
      answered += was ? 1 : 0;
    });
  }
  bench.loop.restart();
  bench.loop.run();  // ends by itself: nothing is waited for once all is done
  CHECK(ended == count);
  return answered;
}

}  // namespace

TEST_CASE("three hundred requests at once use no more connections than allowed", "[http]") {
  Bench bench;
  CHECK(asked_together(bench, 300, kAmple) == 300);
  CHECK(bench.provider.connections() <= options().max_in_flight);
  CHECK(asked_together(bench, 300, kAmple) == 300);
  CHECK(bench.provider.connections() <= options().max_in_flight);
}

TEST_CASE("who waits for a place gives up at the deadline, and the place is not lost", "[http]") {
  auto with = options();
  with.max_in_flight = 2;
  Bench bench{with};
  bench.provider.always("", {.cut = Cut::never});
  CHECK(asked_together(bench, 10, 200ms) == 0);
  CHECK(bench.provider.request_count() <= 4);
  bench.provider.forget_scripts();
  CHECK(asked_together(bench, 10, kAmple) == 10);
}

TEST_CASE("a cancelled request is taken off, and its place is free for the next", "[http]") {
  auto with = options();
  with.max_in_flight = 1;
  Bench bench{with};
  bench.provider.always("silent", {.cut = Cut::never});
  asio::cancellation_signal signal;
  bool cancelled = false;
  const auto silent = bench.lookup("silent");
  asio::co_spawn(
      bench.loop, bench.client.send(silent, SteadyClock::now() + kAmple),
      asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr error, const HttpReply&) {
        cancelled = error != nullptr;
      }));
  while (bench.provider.request_count() == 0) bench.loop.run_for(1ms);
  signal.emit(asio::cancellation_type::terminal);
  CHECK(bench.answer("K").status == 200);
  CHECK(cancelled);
}

TEST_CASE("a client that goes while requests are under way takes them along", "[http]") {
  TestProvider provider;
  provider.always("", {.cut = Cut::never});
  asio::io_context loop;
  {
    HttpClient client{loop.get_executor(), {.max_in_flight = 2}, ""};
    const auto request = get(provider.base_url() + "/v1/credits?key=K");
    for (int i = 0; i < 5; ++i) {
      asio::co_spawn(loop, client.send(request, SteadyClock::now() + kAmple), asio::detached);
    }
    while (provider.request_count() < 2) loop.run_for(1ms);
  }
  SUCCEED("the frames that are left go with the loop");
}

TEST_CASE("B35: a client with idle connections wakes nobody", "[http]") {
  Bench bench;
  asked_together(bench, 50, kAmple);
  bench.loop.restart();
  CHECK(bench.loop.poll() == 0);
  CHECK(bench.loop.stopped());
}
