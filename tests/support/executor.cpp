// SPDX-License-Identifier: Apache-2.0
#include "tests/support/executor.hpp"

#include <libpq-fe.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <utility>

#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr const char* kAsService =
    "?options=-c%20search_path%3Dreconciled%2Cpg_temp%20-c%20role%3Dreconciled_admission";

using Response = http::response<http::string_body>;

/// Throws boost::system::system_error if no whole answer comes.
Response post_credit(std::uint16_t port, const std::string& key) {
  http::request<http::string_body> request{http::verb::post, "/v1/credits", 11};
  request.set(http::field::host, "127.0.0.1");
  request.set("Idempotency-Key", key);
  request.body() = R"({"account":"A-1","amount":"250.00","currency":"USD"})";
  request.prepare_payload();

  asio::io_context loop;
  asio::ip::tcp::socket socket(loop);
  socket.connect({asio::ip::address_v4::loopback(), port});
  http::write(socket, request);
  boost::beast::flat_buffer buffer;
  Response response;
  http::read(socket, buffer, response);
  return response;
}

bool begins_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace

std::optional<std::string> ask(const std::string& uri, const std::string& sql) {
  // libpq itself: libpqxx 6.4 leaks the result of a call whose connection breaks.
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
      PQconnectdb((uri + kAsService).c_str()), PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> rows(PQexec(connection.get(), sql.c_str()),
                                                           PQclear);
  const auto status = PQresultStatus(rows.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return std::nullopt;
  if (PQntuples(rows.get()) == 0) return "no row";
  std::string text;
  for (int field = 0; field < PQnfields(rows.get()); ++field) {
    const bool is_null = PQgetisnull(rows.get(), 0, field) != 0;
    text.append(text.empty() ? "" : " ").append(is_null ? "-" : PQgetvalue(rows.get(), 0, field));
  }
  return text;
}

Executor::Executor(std::string uri, std::uint16_t provider_port)
    : uri_(std::move(uri)), provider_port_(provider_port) {}

std::string Executor::carry_out(int n, const Columns& changed) {
  const auto admission = ask(uri_, admit_token(n, changed));
  if (!admission) return "unavailable";
  if (begins_with(*admission, "Refused ")) return "refused";
  if (!begins_with(*admission, "Admitted ")) {
    const auto status = admission->substr(admission->find(' ') + 1);
    return "already " + status.substr(0, status.find(' '));
  }
  reach(Point::after_admission);

  if (ask(uri_, may_submit(n)) != "t") return "too late";
  reach(Point::before_send);

  const auto answer = create(n);
  reach(Point::after_answer);

  const auto recorded =
      ask(uri_, record_outcome(n, answer.outcome,
                               {{"provider_reference",
                                 answer.reference.empty() ? "NULL" : quoted(answer.reference)}}));
  return recorded == "t" ? answer.outcome : "not recorded";
}

/// Only what the provider says in so many words is an outcome.
Executor::Answer Executor::create(int n) const {
  try {
    const auto response = post_credit(provider_port_, operation_id(n));
    switch (response.result()) {
      case http::status::ok:
      case http::status::created: {
        const auto credit = boost::json::parse(response.body());
        return {"Succeeded", std::string(credit.at("id").as_string())};
      }
      case http::status::payment_required:
      case http::status::unprocessable_entity:
        return {"Failed", ""};
      default:
        return {"Unknown", ""};
    }
  } catch (const boost::system::system_error&) {
    return {"Unknown", ""};
  }
}

void Executor::pause_at(Point point) {
  const std::lock_guard lock(mutex_);
  pause_at_ = point;
}

void Executor::wait_until_paused() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_paused_; });
}

void Executor::resume() {
  const std::lock_guard lock(mutex_);
  pause_at_.reset();
  changed_.notify_all();
}

void Executor::reach(Point point) {
  if (crash_at_ == point) throw Crashed{};
  std::unique_lock lock(mutex_);
  is_paused_ = pause_at_ == point;
  changed_.notify_all();
  changed_.wait(lock, [&] { return pause_at_ != point; });
  is_paused_ = false;
}

}  // namespace reconciled::test
