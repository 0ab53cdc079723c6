// SPDX-License-Identifier: Apache-2.0
// A whole pass on a real server: SqlStore, Recorder and Pass, the provider scripted.
#pragma once

#include "recovery/pass.hpp"
#include "recovery/sql_store.hpp"
#include "tests/support/database_bench.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {

/// One daemon's worth of recovery on a loop that several may share.
struct Daemon {
  Daemon(asio::io_context& on, const std::string& uri, std::string instance = "instance-1")
      : Daemon(on, two_sessions(uri), std::move(instance)) {}
  Daemon(asio::io_context& on, sql::DatabaseOptions options, std::string instance = "instance-1")
      : loop(on),
        database(on.get_executor(), std::move(options)),
        store(database, std::move(instance)) {
    terms.lease = 1h;
    terms.poll_interval = 1h;
    terms.heartbeat = 1ms;
    terms.max_in_flight = 8;
    terms.backoff = {30min, 10h};
    terms.provider = provider;
    terms.rate_limit = std::make_shared<RateLimit>(0);
    provider->answer.always(found);
  }
  ~Daemon() {
    provider->gate.open();
    if (pass && !result->ended()) stop();
  }
  static sql::DatabaseOptions two_sessions(const std::string& uri) {
    auto options = recovery_options(uri);
    options.connections = 2;
    return options;
  }

  void start(std::optional<OneShot> once = std::nullopt) {
    pass.emplace(loop.get_executor(), store, health, events, std::make_shared<const Terms>(terms),
                 once);
    result = spawn(loop, pass->run());
  }
  void look_now() { pass->replace_terms(std::make_shared<const Terms>(terms)); }
  void stop() {
    pass->stop();
    until(loop, [&] { return result->ended(); });
  }
  void some_turns() {
    const int wanted = events.turns + 50;
    until(loop, [&] { return events.turns >= wanted; });
  }

  asio::io_context& loop;
  sql::Database database;
  SqlStore store;
  std::shared_ptr<FakeProvider> provider = std::make_shared<FakeProvider>(loop);
  FakeEvents events;
  ProviderHealth health{15min};
  Terms terms;
  std::optional<Pass> pass;
  std::shared_ptr<Outcome<PassResult>> result;
};

}  // namespace reconciled::test
