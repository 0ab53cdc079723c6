// SPDX-License-Identifier: Apache-2.0
// What was admitted survives the server: its restart, and its death right after it said so, also
// where a role or a database says that commits need not be durable.
#include <signal.h>

#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/executor.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/test_provider.hpp"

namespace reconciled::test {
namespace {

Cluster& server() {
  static Cluster cluster({"-c", "autovacuum=off"});
  return cluster;
}

/// From here on nothing reaches the log on disk but by who asks for it: the process that would
/// write it a moment later is stopped.
class LazyLog {
 public:
  explicit LazyLog(const Database& database)
      : writer_(std::stoi(database.query_value(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'"))) {
    ::kill(writer_, SIGSTOP);
  }
  ~LazyLog() { end_writer(); }
  LazyLog(const LazyLog&) = delete;
  LazyLog& operator=(const LazyLog&) = delete;

  void crash() {
    server().kill();
    end_writer();
    server().start();
  }

 private:
  void end_writer() {
    if (const auto pid = std::exchange(writer_, 0); pid > 0) ::kill(pid, SIGKILL);
  }

  pid_t writer_;
};

Columns another_operation() { return {{"operation_id", quoted(operation_id(2))}}; }

TEST_CASE("a new client after a restart of the server is refused as well", "[race]") {
  const auto database = server().scratch_database();
  TestProvider provider;
  REQUIRE(Executor(database.uri(), provider.port()).carry_out(1) == "Succeeded");
  server().restart();
  CHECK(Executor(database.uri(), provider.port()).carry_out(1, another_operation()) == "refused");
  CHECK(provider.request_count() == 1);
}

struct Careless {
  const char* who;
  std::string (*admit)(int n, const Columns& changed);
};

TEST_CASE("G12 an admitted grant is refused after a crash, whatever synchronous_commit says",
          "[race]") {
  const auto database = server().scratch_database();
  const auto each = GENERATE(values<Careless>({{"DATABASE", admit_token}, {"ROLE", admit_row}}));
  CAPTURE(each.who);
  const auto set = "ALTER " + std::string(each.who) + " " +
                   (each.who == std::string("ROLE") ? kSuperuser : database.name());
  database.execute(insert_grant(1));
  database.execute(set + " SET synchronous_commit = off");
  LazyLog log(database);
  CHECK(answer_of(database, each.admit(1, {})) == "Admitted - - -");
  log.crash();
  CHECK(answer_of(database, each.admit(1, another_operation())) == "Refused - - consumed");
  database.execute(set + " RESET synchronous_commit");
}

TEST_CASE("without the functions' own care the same crash takes the admission back", "[race]") {
  const auto database = server().scratch_database();
  database.execute(
      "CREATE OR REPLACE FUNCTION commit_durably() RETURNS void LANGUAGE sql AS 'SELECT'");
  database.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
  LazyLog log(database);
  CHECK(answer_of(database, admit_token(1)) == "Admitted - - -");
  log.crash();
  CHECK(answer_of(database, admit_token(1, another_operation())) == "Admitted - - -");
}

}  // namespace
}  // namespace reconciled::test
