// SPDX-License-Identifier: Apache-2.0
// Verdicts on their way into the database: batches, doubt, and rows that the database refuses.
#include "recovery/recorder.hpp"

#include "tests/support/fakes.hpp"

namespace reconciled::test {
namespace {

struct Bench {
  asio::io_context loop;
  FakeStore store{loop};
  FakeEvents events;
  Recorder recorder{loop.get_executor(), store, events};

  using Pending = std::shared_ptr<Outcome<Recorded>>;

  Pending record(int n, SteadyClock::duration patience = 1h) {
    Entry entry;
    entry.ownership = {id(n), OwnerVersion{2}, token(9)};
    entry.wait = Duration{n * 1s};
    entry.give_up_at = SteadyClock::now() + patience;
    return spawn(loop, recorder.record(entry));
  }
  Recorded outcome(const Pending& pending) {
    until(loop, [&] { return pending->ended(); });
    return pending->value.value();
  }
  /// A first entry on its way, and behind it these, which go out together once the gate opens.
  std::vector<Pending> behind_another(const std::vector<int>& numbers) {
    store.on_record.then([](const auto& batch) { return ids_of(batch); });
    store.record_gate.close();
    record(8);
    std::vector<Pending> all;
    for (const int n : numbers) all.push_back(record(n));
    until(loop, [&] { return store.batches.size() == 1; });
    return all;
  }
};

TEST_CASE("a recorded row is recorded, one that matched nothing is lost", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto& batch) { return ids_of(batch); }).then([](const auto&) {
    return Ids{};
  });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.outcome(bench.record(1)) == Recorded::ownership_lost);
  CHECK(bench.events.works == 2);
}

TEST_CASE("what waits while a statement runs goes out together", "[recorder]") {
  Bench bench;
  const auto all = bench.behind_another({2, 3});
  bench.store.on_record.then([](const auto&) { return Ids{id(3)}; });
  bench.store.record_gate.open();
  CHECK(bench.outcome(all[0]) == Recorded::ownership_lost);
  CHECK(bench.outcome(all[1]) == Recorded::yes);
  REQUIRE(bench.store.batches.size() == 2);
  CHECK(ids_of(bench.store.batches[1]) == Ids{id(2), id(3)});
}

TEST_CASE("a lost acknowledgement is read back and not sent again", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return in_doubt(); });
  bench.store.on_read_back_record.then([](const auto& asked) { return ids_of(asked); });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.store.on_record.calls == 1);
  CHECK(bench.events.failed == 1);
}

TEST_CASE("a doubt that turns out not recorded is sent again", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return in_doubt(); }).then([](const auto& batch) {
    return ids_of(batch);
  });
  bench.store.on_read_back_record.then([](const auto&) { return Ids{}; });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.store.on_record.calls == 2);
}

TEST_CASE("G1 a resend that matches nothing because the first one landed late is recorded",
          "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return in_doubt(); }).then([](const auto&) {
    return Ids{};
  });
  bench.store.on_read_back_record.then([](const auto&) { return Ids{}; })
      .then([](const auto& asked) { return ids_of(asked); });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.store.on_record.calls == 2);
}

TEST_CASE("G1 a resend that matches nothing and is nowhere in evidence is lost", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return in_doubt(); });
  bench.store.on_record.always([](const auto&) { return Ids{}; });
  bench.store.on_read_back_record.always([](const auto&) { return Ids{}; });
  CHECK(bench.outcome(bench.record(1)) == Recorded::ownership_lost);
}

TEST_CASE("a read back that fails is tried again, and nothing is sent meanwhile", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return in_doubt(); });
  bench.store.on_read_back_record.then([](const auto&) { return not_connected(); })
      .then([](const auto&) { return in_doubt(); })
      .then([](const auto& asked) { return ids_of(asked); });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.store.on_record.calls == 1);
  CHECK(bench.events.failed == 3);
}

TEST_CASE("what never left is sent again without reading back", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return not_connected(); })
      .then([](const auto&) { return refusal("57014"); })
      .then([](const auto& batch) { return ids_of(batch); });
  CHECK(bench.outcome(bench.record(1)) == Recorded::yes);
  CHECK(bench.store.on_record.calls == 3);
}

TEST_CASE("a database that stays away ends in not now when the lease is over", "[recorder]") {
  Bench bench;
  const bool doubtful = GENERATE(false, true);
  bench.store.on_record.always(
      [=](const auto&) { return doubtful ? in_doubt() : not_connected(); });
  bench.store.on_read_back_record.always([](const auto&) { return not_connected(); });
  CHECK(bench.outcome(bench.record(1, 0s)) == Recorded::not_now);
}

TEST_CASE("one row's fault does not hold up the others of its batch", "[recorder]") {
  Bench bench;
  std::vector<std::pair<OperationId, Duration>> postponed;
  const auto all = bench.behind_another({1, 2, 3, 4});
  bench.store.on_record.always([](const auto& batch) -> sql::Result<Ids> {
    for (const auto& entry : batch) {
      if (entry.ownership.operation_id == id(2)) return refusal("P0001");
      if (entry.ownership.operation_id == id(3)) return refusal("55P03");
    }
    return ids_of(batch);
  });
  bench.store.on_postpone.always([&](const Ownership& owned, Duration wait) {
    postponed.emplace_back(owned.operation_id, wait);
    return true;
  });
  bench.store.record_gate.open();
  CHECK(bench.outcome(all[0]) == Recorded::yes);
  CHECK(bench.outcome(all[1]) == Recorded::not_now);
  CHECK(bench.outcome(all[2]) == Recorded::not_now);
  CHECK(bench.outcome(all[3]) == Recorded::yes);
  CHECK(bench.events.refused == std::vector<std::string>{"2 P0001", "3 55P03"});
  // A row that somebody holds locked would hold up the postponing too.
  CHECK(postponed == std::vector<std::pair<OperationId, Duration>>{{id(2), 2s}});
}

TEST_CASE("a bad row's postponing that fails is no more than that", "[recorder]") {
  Bench bench;
  bench.store.on_record.then([](const auto&) { return refusal("22003"); });
  bench.store.on_postpone.then([](const auto&, auto) { return not_connected(); });
  CHECK(bench.outcome(bench.record(1)) == Recorded::not_now);
}

TEST_CASE("G1 a doubt is not forgotten when the batch is taken apart", "[recorder]") {
  Bench bench;
  const auto all = bench.behind_another({1, 2});
  // The first statement lands after it was read back; the resend stumbles over row 2 …
  bench.store.on_record.then([](const auto&) { return in_doubt(); })
      .then([](const auto&) { return refusal("55P03"); })
      .then([](const auto&) { return Ids{}; })
      .then([](const auto&) { return Ids{}; });
  bench.store.on_read_back_record.then([](const auto&) { return Ids{}; });
  // … so that the rows alone match nothing, because they are recorded.
  bench.store.on_read_back_record.always([](const auto& asked) { return ids_of(asked); });
  bench.store.record_gate.open();
  CHECK(bench.outcome(all[0]) == Recorded::yes);
  CHECK(bench.outcome(all[1]) == Recorded::yes);
}

TEST_CASE("a defect in the store ends its own batch, and the next one goes on", "[recorder]") {
  Bench bench;
  bench.store.on_record
      .then([](const auto&) -> sql::Result<Ids> { throw std::out_of_range("not an id"); })
      .then([](const auto& batch) { return ids_of(batch); });
  const auto broken = bench.record(1);
  until(bench.loop, [&] { return broken->ended(); });
  CHECK_THROWS_AS(std::rethrow_exception(broken->thrown), std::out_of_range);
  CHECK(bench.outcome(bench.record(2)) == Recorded::yes);
}

}  // namespace
}  // namespace reconciled::test
