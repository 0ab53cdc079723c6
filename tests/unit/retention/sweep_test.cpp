// SPDX-License-Identifier: Apache-2.0
// The order of a sweep and what it tells, against a store that says what a test wants.
#include "retention/sweep.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/cleanup_fakes.hpp"
#include "tests/support/loop.hpp"

namespace reconciled::test {
namespace {

using Words = std::vector<std::string>;
constexpr Duration kStart = 1'000'000s;

struct FakeCleanupStore final : CleanupStore {
  Awaitable<sql::Result<ServerFacts>> server() override {
    calls.push_back("server");
    if (server_error) co_return *server_error;
    auto facts = server_facts;
    facts.now = {now};
    co_return facts;
  }
  Awaitable<sql::Result<MarkFacts>> mark() override {
    calls.push_back("mark");
    if (mark_error) co_return *mark_error;
    co_return mark_facts;
  }
  Awaitable<sql::Result<BoundFacts>> bound() override {
    calls.push_back("bound");
    if (bound_error) co_return *bound_error;
    co_return bound_facts;
  }
  Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) override {
    calls.push_back("raise");
    raised.push_back(cut_off);
    if (raise_error) co_return *raise_error;
    if (!mark_row) co_return std::optional<DatabaseTime>{};
    co_return std::optional<DatabaseTime>{cut_off + mark_offset};
  }
  Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime, int at_most) override {
    calls.push_back("delete");
    if (on_delete) on_delete();
    if (delete_error) co_return *delete_error;
    const auto batch = std::min<std::int64_t>(rows, at_most);
    rows -= batch;
    co_return batch;
  }
  Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int at_most) override {
    calls.push_back("records");
    if (records_error) co_return *records_error;
    IdempotencyBatch batch{std::min<std::int64_t>(records, at_most), lost};
    records -= batch.deleted;
    lost.clear();
    co_return batch;
  }

  Duration now = kStart;
  ServerFacts server_facts{.now = {}, .system_identifier = "1", .database = "a", .schema = "r"};
  MarkFacts mark_facts{true, true, std::nullopt, {}, {}};
  BoundFacts bound_facts;
  std::optional<sql::Error> server_error, mark_error, bound_error, raise_error, delete_error,
      records_error;
  bool mark_row = true;
  Duration mark_offset{};
  std::int64_t rows = 0, records = 0;
  std::vector<LostAnswer> lost;
  std::function<void()> on_delete;
  Words calls;
  std::vector<DatabaseTime> raised;
};

struct Bench {
  Bench() {
    terms.pause = 0s;
    terms.batch = 10;
    terms.timings = {10min, 0s, 5s};
  }
  SweepEnd sweep() {
    store.calls.clear();
    if (!sweeper) begin();
    const auto call = spawn(loop, sweeper->sweep());
    until(loop, [&] { return call->ended(); });
    return call->value.value();
  }
  void begin() {
    sweeper.emplace(
        loop.get_executor(), store, events, std::make_shared<CleanupTerms>(terms),
        HostClocks{[this] { return HostTime{wall}; }, [this] { return SteadyTime{} + steady; }});
  }
  /// All clocks go on by as much.
  void pass(Duration span) {
    store.now += span;
    wall += span;
    steady += span;
  }

  asio::io_context loop;
  FakeCleanupStore store;
  FakeCleanupEvents events;
  CleanupTerms terms;
  Duration wall = kStart, steady = 500s;
  std::optional<Sweeper> sweeper;
};

TEST_CASE("G9 a sweep looks, announces its cut-off, and only then deletes", "[sweep]") {
  Bench bench;
  bench.store.rows = 25;
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.store.calls == Words{"server", "mark", "raise", "delete", "delete", "delete"});
  CHECK(bench.store.raised == std::vector<DatabaseTime>{{kStart - 10min}});
  CHECK(bench.events.consumptions == 25);
  CHECK(bench.events.last->cut_off == DatabaseTime{kStart - 10min});
  CHECK(bench.events.keys.empty());
}

TEST_CASE("G9 without the mark nothing is deleted", "[sweep]") {
  Bench bench;
  bench.store.rows = 5;
  SECTION("the database refuses to raise it") {
    bench.store.raise_error = refusal("42501");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.events.keys == Words{"mark-not-writable"});
  }
  SECTION("nobody knows whether it was raised") {
    bench.store.raise_error = in_doubt();
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("raising the mark: "));
  }
  SECTION("it has no row") {
    bench.store.mark_row = false;
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.events.keys == Words{"mark-missing"});
  }
  SECTION("it stands lower than announced") {
    bench.store.mark_offset = -1us;
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.events.keys == Words{"mark-not-writable"});
  }
  SECTION("what it stands on is not as installed") {
    bench.store.mark_facts.triggers = {{"r.t", "above_mark", Firing::disabled, ""}};
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.store.raised.empty());
  }
  SECTION("it cannot be looked at") {
    bench.store.mark_error = refusal("42P01");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.store.raised.empty());
  }
  SECTION("the server cannot be looked at") {
    bench.store.server_error = not_connected();
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.store.calls == Words{"server"});
  }
  CHECK(bench.store.rows == 5);
  CHECK(bench.events.sweeps == 0);
  CHECK(bench.events.texts.size() == 1);
}

TEST_CASE("a mark that stands higher already is fine", "[sweep]") {
  Bench bench;
  bench.store.rows = 5;
  bench.store.mark_offset = 2h;
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.store.rows == 0);
}

TEST_CASE("a reason is told once while it stands, and again after it was gone", "[sweep]") {
  Bench bench;
  const auto disabled = [&](bool so) {
    bench.store.mark_facts.triggers = {
        {"r.t", "above_mark", so ? Firing::disabled : Firing::always, ""}};
  };
  disabled(true);
  bench.sweep();
  bench.pass(1min);
  bench.sweep();
  CHECK(bench.events.keys == Words{"trigger-disabled r.t above_mark"});
  bench.store.server_facts.in_recovery = true;  // one more reason
  bench.sweep();
  CHECK(bench.events.keys.size() == 2);
  CHECK(bench.events.permissions == 0);
  bench.store.server_facts.in_recovery = false;
  disabled(false);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.permissions == 1);
  disabled(true);
  bench.sweep();
  CHECK(bench.events.keys.size() == 3);
}

TEST_CASE("what fails after a good look is told once as well", "[sweep]") {
  Bench bench;
  bench.store.rows = 30;
  bench.terms.idempotency_records = true;
  const auto which = GENERATE(0, 1, 2);
  auto& error = which == 0   ? bench.store.raise_error
                : which == 1 ? bench.store.delete_error
                             : bench.store.records_error;
  error = refusal("55P03");
  for (int i = 0; i < 3; ++i) CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.keys.size() == 1);
  CHECK(bench.events.permissions == 0);
  error.reset();
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.permissions == 1);
}

TEST_CASE("a step of the clock stops the sweep until it is undone", "[sweep]") {
  const auto step = GENERATE(2h, -2h);
  Bench bench;
  CHECK(bench.sweep() == SweepEnd::finished);
  bench.pass(1min);
  bench.store.now += step;
  bench.wall += step;  // the same machine
  CHECK(bench.sweep() == SweepEnd::refused);
  bench.pass(1min);
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.keys == Words{"clock-step"});
  CHECK(bench.events.steps == std::vector<Duration>{step});
  CHECK(bench.store.raised.size() == 1);
  bench.store.now -= step;
  bench.wall -= step;
  bench.pass(1min);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.permissions == 1);
}

TEST_CASE("a clock that was wrong at the start is no measure", "[sweep]") {
  const auto apart = GENERATE(2h, -2h);
  Bench bench;
  bench.store.now += apart;
  CHECK(bench.sweep() == SweepEnd::refused);
  bench.pass(1min);
  bench.store.now -= apart;
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.keys == Words{"host-clock"});
}

TEST_CASE("slow drift over many sweeps is no step, also while another reason stands", "[sweep]") {
  Bench bench;
  bench.store.server_facts.in_recovery = GENERATE(false, true);
  for (int i = 0; i < 10; ++i) {
    bench.sweep();
    bench.pass(1min);
    bench.steady += 4s;  // against the wall clocks, below the limit each time
  }
  CHECK(bench.events.steps.empty());
  CHECK(std::ranges::count(bench.events.keys, "clock-step") == 0);
}

TEST_CASE("another server or database than at first stops the sweep", "[sweep]") {
  Bench bench;
  bench.sweep();
  bench.store.server_facts.system_identifier = "2";
  CHECK(bench.sweep() == SweepEnd::refused);
  bench.store.server_facts.system_identifier = "1";
  CHECK(bench.sweep() == SweepEnd::finished);
  bench.store.server_facts.database = "b";
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.keys == Words{"other-server 2", "other-database b"});
}

TEST_CASE("the bound is asked for only where it is required", "[sweep]") {
  Bench bench;
  bench.store.bound_facts.server_version = 150000;
  SECTION("not required") {
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.store.calls == Words{"server", "mark", "raise", "delete"});
  }
  SECTION("required") {
    bench.terms.require_bound = true;
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(bench.events.keys == Words{"no-transaction-timeout"});
  }
  SECTION("required, and cannot be read") {
    bench.terms.require_bound = true;
    bench.store.bound_error = refusal("42501");
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("reading who may admit"));
  }
}

TEST_CASE("idempotency records go only where they are switched on", "[sweep]") {
  Bench bench;
  bench.store.records = 12;
  SECTION("off") {
    bench.sweep();
    CHECK(bench.store.records == 12);
  }
  SECTION("on, and each lost answer is told") {
    bench.terms.idempotency_records = true;
    bench.store.lost = {{"user-1", "POST /credits", "key-1"}};
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.events.idempotency_records == 12);
    CHECK(bench.events.lost == Words{"user-1 POST /credits key-1"});
  }
  SECTION("alone: the mark is nobody's business then") {
    bench.terms.idempotency_records = true;
    bench.terms.consumptions = false;
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.store.calls == Words{"server", "records", "records"});
    CHECK_FALSE(bench.events.last->cut_off.has_value());
  }
  SECTION("a failure is told, and ends the sweep") {
    bench.terms.idempotency_records = true;
    bench.store.records_error = in_doubt();
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("idempotency_answers_lost"));
  }
  SECTION("both off: nothing is asked") {
    bench.terms.consumptions = false;
    CHECK(bench.sweep() == SweepEnd::finished);
    CHECK(bench.store.calls.empty());
  }
}

TEST_CASE("a sweep ends after so many batches, and looks anew before it goes on", "[sweep]") {
  Bench bench;
  bench.terms.idempotency_records = true;
  SECTION("of consumption rows") { bench.store.rows = 10 * kSweepBatchesMost + 1; }
  SECTION("of idempotency records") { bench.store.records = 10 * kSweepBatchesMost + 1; }
  CHECK(bench.sweep() == SweepEnd::more);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.store.calls.front() == "server");
  CHECK(bench.store.rows + bench.store.records == 0);
}

TEST_CASE("a delete that fails is told, and what went before is counted", "[sweep]") {
  Bench bench;
  bench.store.rows = 20;
  bench.store.on_delete = [&] {
    if (bench.store.rows == 10) bench.store.delete_error = refusal("57014");
  };
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK(bench.events.consumptions == 10);
  CHECK_THAT(bench.events.texts.at(0), contains_text("deleting consumption rows: no [57014]"));
}

TEST_CASE("stop ends a sweep between two batches, and a sweeper that waits", "[sweep]") {
  Bench bench;
  bench.store.rows = 100;
  bench.terms.interval = 1h;
  bench.begin();
  const auto stop_now = GENERATE(true, false);
  if (stop_now) bench.store.on_delete = [&] { bench.sweeper->stop(); };
  bool ended = false;
  asio::co_spawn(bench.loop, bench.sweeper->run(), [&](const std::exception_ptr& why) {
    CHECK_FALSE(why);
    ended = true;
  });
  if (!stop_now) {
    until(bench.loop, [&] { return bench.store.rows == 0 && bench.events.sweeps == 1; });
    bench.sweeper->stop();
  }
  until(bench.loop, [&] { return ended; });
  CHECK(bench.store.rows == (stop_now ? 90 : 0));
}

TEST_CASE("new terms wake a sweeper that waits, and sweep_all goes on to the end", "[sweep]") {
  Bench bench;
  bench.terms.interval = 1h;
  bench.begin();
  bool ended = false;
  SECTION("woken") {
    asio::co_spawn(bench.loop, bench.sweeper->run(), [&](auto) { ended = true; });
    until(bench.loop, [&] { return bench.events.sweeps == 1; });
    bench.sweeper->replace_terms(std::make_shared<CleanupTerms>(bench.terms));
    until(bench.loop, [&] { return bench.events.sweeps == 2; });
    bench.sweeper->stop();
  }
  SECTION("all") {
    bench.store.rows = 10 * kSweepBatchesMost * 2 + 1;
    asio::co_spawn(bench.loop, bench.sweeper->sweep_all(), [&](auto) { ended = true; });
  }
  until(bench.loop, [&] { return ended; });
  CHECK(bench.store.rows == 0);
}

TEST_CASE("a defect ends its sweep, and the next one is made", "[sweep]") {
  Bench bench;
  bench.terms.interval = 0s;
  bench.begin();
  bench.store.on_delete = [&] {
    bench.store.on_delete = nullptr;
    throw std::out_of_range("no such column");
  };
  bool ended = false;
  asio::co_spawn(bench.loop, bench.sweeper->run(), [&](auto) { ended = true; });
  until(bench.loop, [&] { return bench.events.sweeps > 0; });
  CHECK(bench.events.defects == Words{"no such column"});
  bench.sweeper->stop();
  until(bench.loop, [&] { return ended; });
}

}  // namespace
}  // namespace reconciled::test
