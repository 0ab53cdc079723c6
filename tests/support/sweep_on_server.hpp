// SPDX-License-Identifier: Apache-2.0
// A whole sweep on a real server: Sweeper and SqlCleanupStore as the daemon wires them.
#pragma once

#include "retention/sql_store.hpp"
#include "retention/sweep.hpp"
#include "tests/support/cleanup_fakes.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {

/// One daemon's worth of cleanup on a loop of its own.
struct SweepBench {
  static sql::DatabaseOptions options(const std::string& uri) {
    auto options = recovery_options(uri);
    options.session.role = kRetentionRole;
    return options;
  }
  explicit SweepBench(sql::DatabaseOptions with)
      : database(loop.get_executor(), std::move(with)), store(database) {}
  explicit SweepBench(const Database& on, std::string_view user = kSuperuser)
      : SweepBench(options(on.uri(user))) {}

  void start() {
    sweeper.emplace(loop.get_executor(), store, events, std::make_shared<CleanupTerms>(terms),
                    clocks);
  }
  /// One sweep by the same sweeper, so that it remembers what it saw.
  SweepEnd sweep() {
    if (!sweeper) start();
    const auto call = spawn(loop, sweeper->sweep());
    until(loop, [&] { return call->ended(); });
    if (call->thrown) std::rethrow_exception(call->thrown);
    return *call->value;
  }

  asio::io_context loop;
  sql::Database database;
  SqlCleanupStore store;
  FakeCleanupEvents events;
  CleanupTerms terms{.pause = 0s, .timings = {10min, 0s, 5s}};
  HostClocks clocks;
  std::optional<Sweeper> sweeper;
};

/// Inserts, before the mark was raised, `count` consumption rows of the operation 1 whose
/// retain_until lies `age` before now; the grants are named `name`-1, -2, …
inline std::string insert_consumptions(int count, const std::string& age,
                                       const std::string& name = "old") {
  return "INSERT INTO grant_consumptions (issuer, grant_id, operation_id, consumed_at, "
         "retain_until) SELECT 'issuer-1', '" +
         name + "-' || n, '" + operation_id(1) + "', now(), now() - interval '" + age +
         "' FROM generate_series(1, " + std::to_string(count) + ") AS n";
}

}  // namespace reconciled::test
