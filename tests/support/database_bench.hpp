// SPDX-License-Identifier: Apache-2.0
// The daemon's door to PostgreSQL, on a loop of its own, for tests against a real server.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <optional>

#include "sql/database.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/fakes.hpp"

namespace reconciled::test {

/// As the daemon connects: the recovery login and its role.
inline sql::DatabaseOptions recovery_options(const std::string& uri) {
  sql::DatabaseOptions options;
  options.session.connection.uri = uri;
  options.session.role = "reconciled_recovery";
  options.session.statement_timeout = 20s;
  options.grace = 20s;
  options.connections = 1;
  return options;
}

struct DatabaseBench {
  explicit DatabaseBench(sql::DatabaseOptions options) {
    database.emplace(loop.get_executor(), std::move(options));
  }
  explicit DatabaseBench(const std::string& uri) : DatabaseBench(recovery_options(uri)) {}

  using Answer = sql::Result<sql::Rows>;

  std::shared_ptr<Outcome<Answer>> begin(sql::Statement statement, sql::Parameters list = {}) {
    return spawn(loop, ask(statement, std::move(list)));
  }
  Answer end(const std::shared_ptr<Outcome<Answer>>& call) {
    until(loop, [&] { return call->ended(); });
    return call->value.value();
  }
  Answer run(sql::Statement statement, sql::Parameters list = {}) {
    return end(begin(statement, std::move(list)));
  }
  /// The text of the only cell, or the error.
  std::string cell(sql::Statement statement) {
    const auto rows = run(statement);
    return rows ? std::string(rows->text(0, 0)) : "error: " + sql::to_string(rows.error());
  }

  asio::io_context loop;
  std::optional<sql::Database> database;

 private:
  // By value: the coroutine outlives the caller's arguments.
  Awaitable<Answer> ask(sql::Statement statement, sql::Parameters list) {
    auto answer = co_await database->run(statement, std::move(list));
    co_return answer;
  }
};

}  // namespace reconciled::test
