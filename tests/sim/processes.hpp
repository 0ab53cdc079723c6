// SPDX-License-Identifier: Apache-2.0
// What runs in a history: daemons, each with the product's own pass and sweeper on a loop of its
// own, and the service that admits operations, creates credits and dies amid it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recovery/pass.hpp"
#include "retention/sweep.hpp"
#include "tests/sim/provider.hpp"
#include "tests/sim/stores.hpp"

namespace reconciled::sim {

/// The world that the processes share. Must outlive them.
struct World {
  Random& random;
  Faults faults;
  Database& database;
  Ledger& ledger;
  std::vector<std::string> wrong = {};  ///< what must not happen, and did
};

class Daemon {
 public:
  Daemon(World& world, bool sweeps);
  ~Daemon();

  boost::asio::io_context loop;
  SteadyTime paused_until = {};
  /// SIGTERM: it drains and ends.
  void stop() { pass_.stop(); }
  bool ended() const noexcept { return *ended_; }
  bool is_busy() const noexcept { return pass_.in_flight() > 0; }

 private:
  struct Quiet;

  std::unique_ptr<Quiet> events_;
  SimulatedStore store_;
  SimulatedCleanupStore cleanup_store_;
  ProviderHealth health_{15min};
  Pass pass_;
  Sweeper sweeper_;
  std::shared_ptr<bool> ended_ = std::make_shared<bool>(false);
};

class Service {
 public:
  explicit Service(World& world) : world_(world) {}

  /// One operation from its admission to wherever its process dies; now and then somebody comes
  /// again with the same grant.
  void begin(int number);

  boost::asio::io_context loop;

 private:
  Awaitable<void> execute(int number);
  Awaitable<void> create(Operation operation);
  Awaitable<void> replay(Row row, DatabaseTime retain_until);
  Awaitable<void> wait(Duration least, Duration most);

  World& world_;
};

}  // namespace reconciled::sim
