// SPDX-License-Identifier: Apache-2.0
// One blocking session with PostgreSQL. Used by one thread at a time; only shut_down() may come
// from another.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "sql/connection_string.hpp"
#include "sql/error.hpp"
#include "sql/parameters.hpp"
#include "sql/rows.hpp"
#include "sql/statement.hpp"

namespace reconciled::sql {

struct SessionOptions {
  ConnectionOptions connection;
  std::string schema = "reconciled";     ///< becomes search_path = schema, pg_temp
  std::optional<std::string> role = {};  ///< SET ROLE after connecting: the duty's own role
  Duration statement_timeout = 5s;
  bool read_only = false;  ///< every transaction of the session (a dry run)
  bool pooler_keeps_sessions =
      false;  ///< database.pooler: session; else a pooler is refused before SET ROLE
};

class Session {
 public:
  explicit Session(SessionOptions options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs one statement in autocommit (or by itself in a transaction, see Statement), connecting
  /// and preparing first where needed. Never throws for what the database does.
  Result<Rows> run(const Statement& statement, const Parameters& parameters);

  /// Says goodbye to the server; the next run() connects anew.
  void close() noexcept;

  /// From any thread: ends the call that is running by shutting its socket; that call then returns
  /// in_doubt.
  void shut_down() noexcept;

 private:
  struct Driver;  // libpqxx lives in the .cpp

  std::optional<Error> open();
  void prepare(const Statement& statement);
  std::optional<Error> set_up();
  Error judge_refusal(Error error, bool sent);
  bool is_stale() const noexcept;

  const SessionOptions options_;
  std::unique_ptr<Driver> driver_;
  std::set<std::string, std::less<>> prepared_;
  std::mutex socket_mutex_;  // shut_down() must not touch a descriptor number that was closed and
                             // given to somebody else
  int socket_ = -1;
  std::atomic<bool> ended_ = false;
};

}  // namespace reconciled::sql
