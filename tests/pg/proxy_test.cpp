// SPDX-License-Identifier: Apache-2.0
// The fault tool itself, against a real server: what it says is lost is lost, the rest arrives.
#include "tests/support/proxy.hpp"

#include <libpq-fe.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/proxy_control.hpp"

namespace reconciled::test {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// What a statement came to: "" for success, a SQLSTATE, or "lost" with the connection.
using Outcome = std::string;

class Client {
 public:
  explicit Client(const std::string& uri) : connection_(PQconnectdb(uri.c_str()), PQfinish) {
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    prepare("keep", "INSERT INTO public.kept VALUES ($1)");
    prepare("keep_twice", "INSERT INTO public.kept VALUES ($1), ($1)");
    prepare("keep_none", "DELETE FROM public.kept WHERE number = $1 AND false");
  }

  bool connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

  Outcome run(const char* prepared, int number) {
    const auto text = std::to_string(number);
    const std::array<const char*, 1> values{text.c_str()};
    return outcome(
        PQexecPrepared(connection_.get(), prepared, 1, values.data(), nullptr, nullptr, 0));
  }
  Outcome query(const char* text) { return outcome(PQexec(connection_.get(), text)); }

 private:
  Outcome outcome(PGresult* raw) const {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result(raw, PQclear);
    if (!connected()) {
      return "lost";
    }
    const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    return state == nullptr ? "" : state;
  }
  void prepare(const char* name, const char* text) {
    outcome(PQprepare(connection_.get(), name, text, 1, nullptr));
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

/// A database with one table, and a proxy before its server.
struct Setup {
  Setup() {
    database.execute("CREATE TABLE public.kept (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)");
  }

  Client connect() const {
    return Client("postgresql://postgres@127.0.0.1:" + std::to_string(proxy.port()) + "/" +
                  database.name());
  }
  std::string kept() const { return database.query_value("SELECT count(*) FROM public.kept"); }

  Database database = shared_cluster().empty_database();
  Proxy proxy{Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port())};
};

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without a plan the proxy lets everything pass and counts it", "[proxy]") {
  const Setup setup;
  auto client = setup.connect();
  CHECK(client.run("keep", 1).empty());
  CHECK(client.run("keep", 2).empty());
  CHECK(client.query("BEGIN").empty());
  CHECK(client.run("keep", 3).empty());
  CHECK(client.query("COMMIT").empty());
  CHECK(setup.kept() == "3");
  const auto counts = setup.proxy.counts();
  CHECK(counts.connections == 1);
  CHECK(counts.hits == 0);
  CHECK(counts.statements.at("keep") == 3);
}

TEST_CASE("a lost answer of a single statement leaves its row committed", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::lose_answer, .statement = "keep"});
  CHECK(client.run("keep", 1) == "lost");
  CHECK(setup.kept() == "1");
  CHECK(setup.proxy.wait_for_hits(1));
  CHECK(setup.proxy.counts().hits == 1);
}

TEST_CASE("a lost answer of a commit leaves the transaction committed", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::lose_answer, .tag = "COMMIT"});
  CHECK(client.query("BEGIN").empty());
  CHECK(client.run("keep", 1).empty());
  CHECK(client.query("COMMIT") == "lost");
  CHECK(setup.kept() == "1");
}

TEST_CASE("a lost request never reaches the server", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::lose_request, .statement = "keep"});
  CHECK(client.run("keep", 1) == "lost");
  CHECK(setup.kept() == "0");
  CHECK(setup.proxy.counts().hits == 1);
}

TEST_CASE("only the statement that was named meets the fault", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::lose_answer, .statement = "keep", .tag = "INSERT"});
  CHECK(client.query("SELECT number FROM public.kept").empty());
  CHECK(client.run("keep_none", 1).empty());
  CHECK(client.run("keep_twice", 1) == "23505");
  CHECK(setup.proxy.counts().hits == 0);
  CHECK(client.run("keep", 1) == "lost");
}

TEST_CASE("skip lets the first ones pass and times limits how many are hit", "[proxy]") {
  Setup setup;
  setup.proxy.set({.fault = Fault::lose_answer, .statement = "keep", .skip = 1, .times = 1});
  auto client = setup.connect();
  CHECK(client.run("keep", 1).empty());
  CHECK(client.run("keep", 2) == "lost");
  client = setup.connect();
  CHECK(client.run("keep", 3).empty());
  CHECK(setup.kept() == "3");
  CHECK(setup.proxy.counts().connections == 2);
}

TEST_CASE("an error at the commit is not lost, because nothing was committed", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::lose_answer, .statement = "keep_twice"});
  CHECK(client.run("keep_twice", 1) == "23505");
  CHECK(setup.kept() == "0");
  CHECK(client.run("keep", 1).empty());
}

TEST_CASE("a held answer arrives when the plan changes, and its row is committed before",
          "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::hold_answer, .statement = "keep"});
  auto done = std::async(std::launch::async, [&] { return client.run("keep", 1); });
  REQUIRE(setup.proxy.wait_for_hits(1));
  CHECK(setup.kept() == "1");
  CHECK(done.wait_for(std::chrono::seconds{0}) == std::future_status::timeout);
  setup.proxy.pass();
  CHECK(done.get().empty());
}

TEST_CASE("in a black hole nothing arrives and nothing is closed until it ends", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.set({.fault = Fault::black_hole});
  auto done = std::async(std::launch::async, [&] { return client.run("keep", 1); });
  CHECK(setup.kept() == "0");
  CHECK(done.wait_for(std::chrono::seconds{0}) == std::future_status::timeout);
  setup.proxy.pass();
  CHECK(done.get().empty());
  CHECK(setup.kept() == "1");
}

TEST_CASE("a refusing proxy and a reset break connections, and a later one works", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  setup.proxy.reset_all();
  setup.proxy.set({.fault = Fault::refuse});
  CHECK(client.run("keep", 1) == "lost");
  CHECK_FALSE(setup.connect().connected());
  setup.proxy.pass();
  client = setup.connect();
  CHECK(client.run("keep", 1).empty());
}

namespace {

constexpr char kAnswer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// Serves one connection, one request of a known size after the other, and counts them.
class SmallServer {
 public:
  explicit SmallServer(std::size_t request_size) {
    thread_ = std::thread([this, request_size] {
      boost::system::error_code ended;
      auto peer = acceptor_.accept(ended);
      std::string request(request_size, '\0');
      while (!ended) {
        asio::read(peer, asio::buffer(request), ended);
        if (!ended) {
          ++requests;
          asio::write(peer, asio::buffer(kAnswer, sizeof kAnswer - 1), ended);
        }
      }
    });
  }
  ~SmallServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);  // ends an accept that nobody answered
    thread_.join();
  }
  SmallServer(const SmallServer&) = delete;
  SmallServer& operator=(const SmallServer&) = delete;

  std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
  }
  std::atomic<int> requests = 0;

 private:
  asio::io_context io_;
  tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
  std::thread thread_;
};

std::string ask(tcp::socket& socket, const std::string& request) {
  std::string answer(sizeof kAnswer - 1, '\0');
  asio::write(socket, asio::buffer(request));
  asio::read(socket, asio::buffer(answer));
  return answer;
}

}  // namespace

TEST_CASE("an HTTP answer is lost after the server has had the whole request", "[proxy]") {
  const std::string look = "GET  /v1/refunds HTTP/1.1\r\n\r\n";
  const std::string create = "POST /v1/refunds HTTP/1.1\r\n\r\n";
  SmallServer server(create.size());
  Proxy proxy(Protocol::http, server.address());
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), proxy.port()});

  proxy.set({.fault = Fault::lose_answer, .statement = "POST /v1/refunds"});
  CHECK(ask(socket, look) == kAnswer);
  CHECK_THROWS_AS(ask(socket, create), boost::system::system_error);
  CHECK(server.requests == 2);
  CHECK(proxy.counts().statements.at("POST /v1/refunds HTTP/1.1") == 1);
}

TEST_CASE("an HTTP request is lost before the server sees it", "[proxy]") {
  const std::string create = "POST /v1/refunds HTTP/1.1\r\n\r\n";
  SmallServer server(create.size());
  Proxy proxy(Protocol::http, server.address());
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), proxy.port()});

  proxy.set({.fault = Fault::lose_request, .statement = "POST", .skip = 1});
  CHECK(ask(socket, create) == kAnswer);
  CHECK_THROWS_AS(ask(socket, create), boost::system::system_error);
  CHECK(server.requests == 1);
}

TEST_CASE("a proxy before a server that is not there resets its clients", "[proxy]") {
  Proxy proxy(Protocol::http, "/nonexistent/socket");
  asio::io_context io;
  tcp::socket socket(io);
  socket.connect({asio::ip::address_v4::loopback(), proxy.port()});
  CHECK_THROWS_AS(ask(socket, "GET / HTTP/1.1\r\n\r\n"), boost::system::system_error);
}

TEST_CASE("an upstream that is no address is refused with what is wanted", "[proxy]") {
  for (const char* upstream : {"localhost", "127.0.0.1", "127.0.0.1:", "127.0.0.1:70000", "x:1"}) {
    INFO(upstream);
    CHECK_THROWS_AS(Proxy(Protocol::http, upstream), std::invalid_argument);
  }
}

TEST_CASE("a request that arrives in pieces is one request", "[proxy]") {
  Gate gate;
  const auto relay = make_relay(Protocol::http, gate);
  CHECK(relay->from_client("POST /a HTTP/1.1\r\nX-").forward == "POST /a HTTP/1.1\r\nX-");
  CHECK(relay->from_client("Y: z\r\n\r\n").forward == "Y: z\r\n\r\n");
  CHECK(relay->from_server("HTTP/1.1 200 OK\r\n").forward == "HTTP/1.1 200 OK\r\n");
  CHECK(relay->from_client("GET /b HTTP/1.1\r\n\r\n").then == Passage::Then::go_on);
  CHECK(gate.counts().statements ==
        std::map<std::string, int>{{"POST /a HTTP/1.1", 1}, {"GET /b HTTP/1.1", 1}});
}

TEST_CASE("messages are cut at their ends, however their bytes arrive", "[proxy]") {
  using namespace std::string_literals;
  const auto startup = "\0\0\0\x08\0\x03\0\0"s;
  const auto query = "Q\0\0\0\x0bSELECT\0"s;
  const auto sync = "S\0\0\0\x04"s;
  const auto all = startup + query + sync;
  WireReader reader(WireReader::Side::client);
  std::vector<std::string> messages;
  for (const char byte : all) {
    for (const auto& message : reader.read({&byte, 1})) {
      messages.push_back(message.bytes);
    }
  }
  CHECK(messages == std::vector{startup, query, sync});
  const auto at_once = WireReader(WireReader::Side::client).read(all);
  REQUIRE(at_once.size() == 3);
  CHECK(statement_of(at_once[0]) == std::nullopt);
  CHECK(statement_of(at_once[1]) == "SELECT");
  CHECK(statement_of(at_once[2]) == std::nullopt);
}

TEST_CASE("a plan is read from its line, and a faulty line says what is wanted", "[proxy]") {
  const auto plan = read_plan("lose_request statement=POST /v1/refunds tag=INSERT skip=2 times=3");
  REQUIRE(plan.has_value());
  CHECK(plan->fault == Fault::lose_request);
  CHECK(plan->statement == "POST /v1/refunds");
  CHECK(plan->tag == "INSERT");
  CHECK(plan->skip == 2);
  CHECK(plan->times == 3);
  CHECK(read_plan("pass")->fault == Fault::none);
  CHECK(read_plan("explode").error() == "unknown command 'explode'");
  for (const char* line : {"pass x", "refuse skip=", "refuse skip=-1", "refuse times=1x",
                           "refuse depth=1", "refuse "}) {
    INFO(line);
    CHECK(read_plan(line).has_error());
  }
}

TEST_CASE("a script's commands change the plan, count and wait", "[proxy]") {
  Setup setup;
  auto client = setup.connect();
  CHECK(obey(setup.proxy, "wait x") == "error: want wait N");
  CHECK(obey(setup.proxy, "explode") == "error: unknown command 'explode'");
  CHECK(obey(setup.proxy, "lose_answer statement=keep") == "ok");
  CHECK(client.run("keep", 1) == "lost");
  CHECK(obey(setup.proxy, "wait 1") == "ok");
  const auto counts = obey(setup.proxy, "counts");
  CHECK(contains(counts, "ok connections=1 hits=1"));
  CHECK(contains(counts, "[keep]=1"));
  CHECK(obey(setup.proxy, "reset") == "ok");
}

}  // namespace reconciled::test
