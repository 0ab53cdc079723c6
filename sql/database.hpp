// SPDX-License-Identifier: Apache-2.0
// The one door to PostgreSQL for the event loop: statements go to a few sessions with a thread
// each, because libpqxx blocks. Every call has a deadline; a call that does not return is ended by
// shutting its socket, and is then in doubt.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "base/awaitable.hpp"
#include "base/time.hpp"
#include "sql/database_session.hpp"

namespace reconciled::sql {

struct DatabaseOptions {
  SessionOptions session;
  int connections = 2;
  /// How long one call may take beyond statement_timeout: the way there and back, and connecting
  /// where that is needed.
  Duration grace = 5s;
};

class Database {
 public:
  Database(boost::asio::any_io_executor executor, DatabaseOptions options);
  /// Calls that are still running are ended by shutting their sockets; nobody hears of them.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs one statement in autocommit on a free session; waits for one where all are busy. Returns
  /// within statement_timeout + grace (twice that, if it had to wait for a session). Call from the
  /// loop's thread only.
  Awaitable<Result<Rows>> run(Statement statement, Parameters parameters);

  /// Statements sent since the start, for tests and the idle figures.
  std::int64_t statements() const noexcept { return statements_; }

 private:
  class Worker;
  struct Call;
  struct Loop;

  Awaitable<std::shared_ptr<Worker>> free_worker(SteadyTime until);
  void give_back(std::shared_ptr<Worker> worker);
  std::shared_ptr<Worker> replace(const std::shared_ptr<Worker>& worker);

  boost::asio::any_io_executor executor_;
  const DatabaseOptions options_;
  std::shared_ptr<Loop> loop_;                    // shared with the threads, which may outlive us
  std::vector<std::shared_ptr<Worker>> workers_;  // all, but those left behind
  std::vector<std::shared_ptr<Worker>> idle_;
  std::deque<std::shared_ptr<Call>>
      waiting_;  // for a worker; bounded by the callers, who each await one call
  std::int64_t statements_ = 0;
};

}  // namespace reconciled::sql
