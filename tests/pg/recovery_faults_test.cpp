// SPDX-License-Identifier: Apache-2.0
// A pass whose acknowledgements are lost and whose server dies (design G12): exactly one verdict in
// evidence, counted once.
#include "tests/support/pass_on_server.hpp"
#include "tests/support/proxy.hpp"

namespace reconciled::test {
namespace {

struct Bench {
  Database database = scratch_database();
  Proxy proxy{Protocol::postgres, "127.0.0.1:" + std::to_string(shared_cluster().port())};
  asio::io_context loop;
  Daemon daemon{loop, std::string("postgresql://") + kRecovery +
                          "@127.0.0.1:" + std::to_string(proxy.port()) + "/" + database.name()};

  void check_one_verdict() {
    until(loop, [&] { return daemon.pass->in_flight() == 0; });
    daemon.some_turns();
    CHECK(daemon.events.recorded_ids == Ids{id(1)});
    CHECK(daemon.events.lost.empty());
    CHECK(database.query_value("SELECT concat_ws(' ', status, owner_version) FROM operations") ==
          "Succeeded 2");
    CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "1");
  }
};

TEST_CASE("G12 G1 a takeover whose acknowledgement is lost is read back and carried on",
          "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  const auto fault = GENERATE(Fault::lose_answer, Fault::lose_request);
  bench.proxy.set({.fault = fault, .statement = "take_over"});
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.events.recorded_ids.size() == 1; });
  CHECK(bench.proxy.counts().hits == 1);
  CHECK(bench.proxy.counts().statements.contains("read_back_takeover"));
  CHECK(bench.daemon.provider->asked.size() == 1);
  bench.check_one_verdict();
}

TEST_CASE("G12 G7 a record whose acknowledgement is lost is in evidence once and counted once",
          "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  const auto fault = GENERATE(Fault::lose_answer, Fault::lose_request);
  const int times = GENERATE(1, 2);
  bench.proxy.set({.fault = fault, .statement = "record", .times = times});
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.events.recorded_ids.size() == 1; });
  // Recorded at the first attempt, a lost acknowledgement is not followed by another.
  CHECK(bench.proxy.counts().hits == (fault == Fault::lose_answer ? 1 : times));
  bench.check_one_verdict();
}

TEST_CASE("G12 a read back that is lost itself is done again", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.provider->gate.close();
  bench.proxy.set({.fault = Fault::lose_answer, .statement = "take_over"});
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.events.failed == 1; });
  bench.proxy.set({.fault = Fault::lose_answer, .statement = "read_back_takeover"});
  until(bench.loop, [&] { return bench.daemon.provider->asked.size() == 1; });
  bench.proxy.set({.fault = Fault::lose_answer, .statement = "record"});
  bench.daemon.provider->gate.open();
  until(bench.loop, [&] { return bench.daemon.events.failed >= 2; });
  until(bench.loop, [&] { return bench.daemon.events.recorded_ids.size() == 1; });
  bench.check_one_verdict();
}

TEST_CASE("G12 a handback whose acknowledgement is lost has happened once", "[recovery]") {
  Bench bench;
  bench.database.execute(insert_operation(1));
  bench.daemon.terms.drain_timeout = 1ms;
  bench.daemon.provider->gate.close();
  bench.daemon.start();
  until(bench.loop, [&] { return bench.daemon.provider->asked.size() == 1; });
  bench.proxy.set({.fault = Fault::lose_answer, .statement = "hand_back"});
  bench.daemon.stop();
  CHECK(bench.daemon.events.handed == 0);
  CHECK(bench.database.query_value("SELECT concat_ws(' ', step, count(*)) FROM recovery_evidence "
                                   "GROUP BY step") == "handback 1");
}

TEST_CASE("G12 a server that dies while we look is waited for, and the verdict is recorded",
          "[recovery]") {
  Cluster server;
  const auto database = server.scratch_database();
  database.execute(insert_operation(1) + insert_operation(2));
  asio::io_context loop;
  Daemon daemon(loop, database.uri(kRecovery));
  daemon.provider->gate.close();
  daemon.start();
  until(loop, [&] { return daemon.provider->asked.size() == 2; });
  server.kill();
  daemon.provider->gate.open();
  until(loop, [&] { return daemon.events.failed >= 2; });
  CHECK(daemon.events.recorded_ids.empty());
  server.start();
  until(loop, [&] { return daemon.events.recorded_ids.size() == 2; });
  CHECK(daemon.events.lost.empty());
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "2");
  daemon.stop();
}

TEST_CASE("G12 a daemon that dies with its leases is followed by another when they end",
          "[recovery]") {
  const auto database = scratch_database();
  database.execute(insert_operation(1));
  asio::io_context loop;
  {
    asio::io_context abandoned;
    Daemon dying(abandoned, database.uri(kRecovery), "instance-0");
    dying.terms.lease = 20s;
    dying.terms.lookup_timeout = 1s;
    dying.provider->gate.close();
    dying.start();
    until(abandoned, [&] { return dying.provider->asked.size() == 1; });
    dying.result->value.emplace();  // nobody waits for it any more
  }
  database.execute("UPDATE operations SET lease_until = now() WHERE owner_token IS NOT NULL");
  Daemon next(loop, database.uri(kRecovery));
  next.start();
  until(loop, [&] { return next.events.recorded_ids.size() == 1; });
  CHECK(database.query_value("SELECT concat_ws(' ', instance, owner_version) FROM "
                             "recovery_evidence") == "instance-1 3");
}

}  // namespace
}  // namespace reconciled::test
