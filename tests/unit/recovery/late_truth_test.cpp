// SPDX-License-Identifier: Apache-2.0
// Late truth: what counts as a credit, and the walk from a turn to evidence and event.
#include "recovery/late_truth.hpp"

#include "recovery/evidence_detail.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/fakes.hpp"

namespace reconciled::test {
namespace {

struct FakeLateStore final : LateStore {
  ~FakeLateStore() override { CHECK(on_turn.unscripted + on_record.unscripted == 0); }

  Awaitable<sql::Result<LateTurn>> take_turn(LateTurnRequest request) override {
    requests.push_back(request);
    co_return on_turn(request);
  }
  Awaitable<sql::Result<bool>> record(LateEntry entry) override {
    entries.push_back(entry);
    co_return on_record(entry);
  }

  std::vector<LateTurnRequest> requests;
  std::vector<LateEntry> entries;
  Script<sql::Result<LateTurn>, const LateTurnRequest&> on_turn{"take_turn"};
  Script<sql::Result<bool>, const LateEntry&> on_record{"record"};
};

struct FakeLateEvents final : LateEvents {
  void late_truth(const LateCase& seen, const Look&, const LateWord& word) override {
    credits.push_back(to_string(seen.operation.id).substr(35) + " " + word.verdict.reference);
  }
  std::vector<std::string> credits;
};

LateCase waiting(int n) {
  LateCase one;
  one.operation.id = id(n);
  one.operation.account_id = "A-1";
  one.operation.amount = Decimal::parse("250");
  one.operation.currency = "USD";
  one.newest_evidence = n;
  one.as_of = {1h};
  return one;
}

struct Bench {
  Bench() {
    store.on_record.always([](const LateEntry&) { return true; });
  }
  /// Runs until the condition holds, then stops it.
  template <class Condition>
  void run_until(Condition holds) {
    LateTruth late(loop.get_executor(), store, look, events, late_events, terms);
    bool ended = false;
    asio::co_spawn(loop, late.run(), [&](const std::exception_ptr& why) {
      CHECK_FALSE(why);
      ended = true;
    });
    until(loop, holds);
    late.stop();
    until(loop, [&] { return ended; });
  }

  asio::io_context loop;
  FakeLateStore store;
  FakeEvents events;
  FakeLateEvents late_events;
  Script<std::optional<Look>, const Operation&> answer{"look"};
  LateTruth::LookBeside look = [this](Operation operation,
                                      DatabaseTime) -> Awaitable<std::optional<Look>> {
    co_return answer(operation);
  };
  std::shared_ptr<Terms> terms = std::make_shared<Terms>();
};

sql::Result<LateTurn> nothing(const LateTurnRequest&) { return LateTurn{}; }

Look showing(CreditState state, const char* amount = "250.00") {
  Credit credit{"cr_1", "A-1", *Decimal::parse(amount), "USD", state};
  return {.finding = Found{{credit}}, .http_status = 200, .pages = 1};
}

TEST_CASE("a credit is news unless it failed, whatever else is wrong with it", "[late_truth]") {
  struct Row {
    Look look;
    bool credit;
    Reason reason;
  };
  const Operation none;
  const Row rows[] = {
      {showing(CreditState::settled), true, Reason::proven},
      {showing(CreditState::pending), true, Reason::pending},
      {showing(CreditState::settled, "1"), true, Reason::mismatch},
      {showing(CreditState::unrecognised), true, Reason::unrecognised_state},
      {showing(CreditState::reversed), true, Reason::reversed},
      {showing(CreditState::failed), false, Reason::failed_at_provider},
      {absent(none), false, Reason::absent_after_window},
      {no_answer(none), false, Reason::no_answer},
      {{.finding = Incomplete{*credits_in(showing(CreditState::settled).finding), "cut"}},
       true,
       Reason::incomplete}};
  for (const auto& row : rows) {
    const auto word = judge_late(waiting(1), row.look, {});
    CAPTURE(reconciled::word(row.reason));
    CHECK(word.credit == row.credit);
    CHECK(word.verdict.reason == row.reason);
  }
}

TEST_CASE("a turn is asked for by its settings, and what is seen is recorded", "[late_truth]") {
  Bench bench;
  bench.terms->late_truth = 2h;
  bench.terms->late_truth_for = 48h;
  bench.terms->lease = 30s;
  bench.store.on_turn
      .then([](const LateTurnRequest&) {
        return LateTurn{{waiting(1), waiting(2)}, {}};
      })
      .then(nothing);
  bench.answer.then(absent).then(found);
  bench.run_until([&] { return bench.store.entries.size() == 2; });
  const auto& request = bench.store.requests.at(0);
  CHECK(request.every == 2h);
  CHECK(request.keep_on == 48h);
  CHECK(request.turn == 30s);
  CHECK(bench.store.entries[0].holder == request.holder);
  CHECK_FALSE(bench.store.entries[0].word.credit);
  CHECK(bench.store.entries[0].finding == "absent");
  CHECK(bench.store.entries[1].word.credit);
  CHECK(bench.store.entries[1].seen.newest_evidence == 2);
  CHECK(bench.late_events.credits == std::vector<std::string>{"2 cr_1"});
}

TEST_CASE("what did not get into evidence is no event, and ends the turn", "[late_truth]") {
  Bench bench;
  bench.store.on_turn
      .then([](const LateTurnRequest&) {
        return LateTurn{{waiting(1), waiting(2)}, {}};
      })
      .then(nothing);
  bench.answer.then(found);
  bench.store.on_record.then([](const LateEntry&) { return false; });
  bench.run_until([&] { return bench.store.requests.size() == 2; });
  CHECK(bench.store.entries.size() == 1);
  CHECK(bench.late_events.credits.empty());
}

TEST_CASE("where the provider is not to be asked now, nothing is written", "[late_truth]") {
  Bench bench;
  bench.store.on_turn.then([](const LateTurnRequest&) {
                       return LateTurn{{waiting(1)}, {}};
                     })
      .then(nothing);
  bench.answer.then([](const Operation&) { return std::optional<Look>{}; });
  bench.run_until([&] { return bench.store.requests.size() == 2; });
  CHECK(bench.store.entries.empty());
}

TEST_CASE("a database that fails is told, and tried again", "[late_truth]") {
  Bench bench;
  bench.store.on_turn.then([](const LateTurnRequest&) { return not_connected(); })
      .then([](const LateTurnRequest&) {
        return LateTurn{{waiting(1)}, {}};
      })
      .then(nothing);
  bench.answer.then(found);
  bench.store.on_record.then([](const LateEntry&) { return in_doubt(); });
  bench.run_until([&] { return bench.store.requests.size() == 3; });
  CHECK(bench.events.failed == 2);
  CHECK(bench.late_events.credits.empty());
}

TEST_CASE("nothing is asked while recovery is off", "[late_truth]") {
  Bench bench;
  bench.terms->enabled = false;
  asio::steady_timer soon(bench.loop, 1ms);
  bool over = false;
  soon.async_wait([&](const boost::system::error_code&) { over = true; });
  bench.run_until([&] { return over; });
  CHECK(bench.store.requests.empty());
}

TEST_CASE("new settings count at once", "[late_truth]") {
  Bench bench;
  bench.store.on_turn.always(nothing);
  LateTruth late(bench.loop.get_executor(), bench.store, bench.look, bench.events,
                 bench.late_events, bench.terms);
  const auto ended = std::make_shared<bool>(false);
  asio::co_spawn(bench.loop, late.run(), [ended](const std::exception_ptr&) { *ended = true; });
  until(bench.loop, [&] { return bench.store.requests.size() == 1; });
  auto wanted = std::make_shared<Terms>();
  wanted->late_truth = 1min;
  late.replace_terms(wanted);
  until(bench.loop, [&] { return bench.store.requests.size() == 2; });
  CHECK(bench.store.requests[1].every == 1min);
  late.stop();
  until(bench.loop, [&] { return *ended; });
}

}  // namespace
}  // namespace reconciled::test
