// SPDX-License-Identifier: Apache-2.0
// How a pass ends: the drain after a stop, and the one-shot that ends by itself.
#include "tests/unit/recovery/pass_bench.hpp"

namespace reconciled::test {
namespace {

TEST_CASE("a stop while nothing is in flight ends the pass without a word to the store",
          "[drain]") {
  PassBench bench;
  bench.start();
  bench.some_turns();
  bench.stop();
  CHECK(bench.store.on_hand_back.calls == 0);
}

TEST_CASE("what is in flight at a stop may finish, and nothing more is taken over", "[drain]") {
  PassBench bench;
  bench.terms.heartbeat = 1h;  // so that the end of the last journey must wake the drain itself
  bench.terms.max_in_flight = 3;
  bench.provider->gate.close();
  bench.start({1, 2, 3, 4});
  bench.wait_for([&] { return bench.provider->asked.size() == 3; });
  bench.pass->stop();
  bench.provider->gate.open();
  bench.end();
  CHECK(bench.events.recorded_ids == Ids{id(1), id(2), id(3)});
  CHECK(bench.due.size() == 1);
}

TEST_CASE("journeys that end one after the other end the drain", "[drain]") {
  PassBench bench;
  bench.terms.heartbeat = 1h;
  bench.store.record_gate.close();
  bench.start({1, 2});  // 1 goes alone, 2 with the next batch
  bench.wait_for([&] { return bench.provider->asked.size() == 2; });
  bench.store.on_record.then([&](const auto& batch) {
    bench.store.record_gate.close();  // again, so that the drain notes the first end by itself
    return ids_of(batch);
  });
  bench.pass->stop();
  bench.store.record_gate.open();
  bench.wait_for([&] { return bench.pass->in_flight() == 1; });
  bench.loop.poll();
  bench.store.record_gate.open();
  bench.end();
  CHECK(bench.events.recorded_ids == Ids{id(1), id(2)});
}

TEST_CASE("G12 lookups that outlast the drain are cancelled and handed back", "[drain]") {
  PassBench bench;
  bench.terms.drain_timeout = 1ms;
  bench.provider->gate.close();
  std::vector<Ownership> given;
  bench.store.on_hand_back.then([&](const std::vector<Ownership>& owned) {
    given = owned;
    return Ids{id(1), id(2)};
  });
  bench.start({1, 2});
  bench.wait_for([&] { return bench.provider->asked.size() == 2; });
  bench.stop();
  REQUIRE(given.size() == 2);
  CHECK(given[0].operation_id == id(1));
  CHECK(given[0].owner_version == OwnerVersion{2});
  CHECK(given[0].owner_token == bench.store.requests[0].owner_token);
  CHECK(bench.events.handed == 2);
  CHECK(bench.events.defects.empty());
  CHECK(bench.store.on_record.calls == 0);
}

TEST_CASE("handing back that fails ends the pass all the same", "[drain]") {
  PassBench bench;
  bench.terms.drain_timeout = 1ms;
  bench.provider->gate.close();
  bench.store.on_hand_back.then([](const auto&) { return not_connected(); });
  bench.start({1});
  bench.wait_for([&] { return bench.provider->asked.size() == 1; });
  bench.stop();
  CHECK(bench.events.handed == 0);
  CHECK(bench.events.failed == 1);
}

TEST_CASE("what waits for its record at the end of the drain is not handed back", "[drain]") {
  PassBench bench;
  bench.terms.drain_timeout = 1ms;
  bench.store.record_gate.close();
  bench.start({1});
  bench.wait_for([&] { return bench.store.batches.size() == 1; });
  bench.stop();
  CHECK(bench.store.on_hand_back.calls == 0);
}

struct OnceBench : PassBench {
  OnceBench() { once = OneShot{kNow - 1s}; }
};

TEST_CASE("a one-shot ends when nothing is left, and takes only what was due", "[once]") {
  OnceBench bench;
  bench.terms.max_in_flight = 2;
  bench.start({1, 2, 3, 4, 5});
  const auto result = bench.end();
  CHECK(bench.events.recorded_ids.size() == 5);
  CHECK(result.undecided == 0);
  CHECK_FALSE(result.database_down);
  CHECK_FALSE(result.provider_down);
  for (const auto& request : bench.store.requests) CHECK(request.due_before == kNow - 1s);
  CHECK(bench.store.on_next_due.calls == 0);
}

TEST_CASE("a one-shot takes over no more than was due at its start", "[once]") {
  OnceBench bench;
  bench.once->operations = 3;
  bench.start({1, 2, 3, 4, 5});
  bench.end();
  CHECK(bench.events.recorded_ids.size() == 3);
}

TEST_CASE("a one-shot with nothing due, or all of it locked, ends", "[once]") {
  OnceBench bench;
  bench.start();
  CHECK(bench.end().undecided == 0);
}

TEST_CASE("a one-shot counts what it did not decide", "[once]") {
  OnceBench bench;
  bench.terms.max_in_flight = 5;
  bench.provider->answer.then(found).then(no_answer).then(
      [](const auto&) -> Look { throw std::runtime_error("broken"); });
  bench.start({1, 2, 3});
  CHECK(bench.end().undecided == 2);
}

TEST_CASE("a one-shot whose lease is too short to look counts that as undecided", "[once]") {
  OnceBench bench;
  bench.terms.lease = bench.terms.lookup_timeout;
  bench.start({1});
  CHECK(bench.end().undecided == 1);
}

TEST_CASE("a one-shot ends when the database is down", "[once]") {
  OnceBench bench;
  bench.store.on_take_over.then([](const auto&) { return not_connected(); });
  bench.start({1});
  CHECK(bench.end().database_down);
}

TEST_CASE("a one-shot ends when the database goes down with a takeover in doubt", "[once]") {
  OnceBench bench;
  bench.terms.lease = 0s;  // by then whatever was taken over has run out
  bench.store.on_take_over.then([](const auto&) { return in_doubt(); });
  bench.store.on_read_back_takeover.always([](OwnerToken) { return not_connected(); });
  bench.start({1});
  CHECK(bench.end().database_down);
}

TEST_CASE("a one-shot reads a doubtful takeover back before it ends", "[once]") {
  OnceBench bench;
  bench.store.on_take_over.then([](const auto&) { return in_doubt(); });
  bench.store.on_read_back_takeover.then([](OwnerToken asked) {
    auto lease = lease_of(1);
    lease.owner_token = asked;
    return Takeover{kNow, {lease}};
  });
  bench.start();
  CHECK_FALSE(bench.end().database_down);
  CHECK(bench.events.recorded_ids == Ids{id(1)});
}

TEST_CASE("a one-shot ends when the provider is down", "[once]") {
  OnceBench bench;
  bench.provider->answer.always(no_answer);
  bench.terms.max_in_flight = 5;
  bench.start({1, 2, 3, 4, 5, 6});
  const auto result = bench.end();
  CHECK(result.provider_down);
  CHECK(result.undecided == 5);
  CHECK(bench.due.size() == 1);
}

TEST_CASE("a one-shot of a disabled recovery ends", "[once]") {
  OnceBench bench;
  bench.terms.enabled = false;
  bench.start({1});
  bench.end();
  CHECK(bench.store.requests.empty());
}

}  // namespace
}  // namespace reconciled::test
