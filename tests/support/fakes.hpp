// SPDX-License-Identifier: Apache-2.0
// A store, a provider and events that do what a test says and remember what they were asked. A call
// that nobody scripted fails the test.
#pragma once

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "reconcile/provider.hpp"
#include "reconcile/rate_limit.hpp"
#include "recovery/events.hpp"
#include "recovery/store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/loop.hpp"

namespace reconciled::test {

/// Holds whoever comes through until it is opened.
class Turnstile {
 public:
  explicit Turnstile(asio::io_context& loop) : timer_(loop, SteadyTime::max()) {}
  void close() { open_ = false; }
  void open() {
    open_ = true;
    timer_.cancel();
  }
  /// Throws operation_aborted if the caller is cancelled meanwhile.
  Awaitable<void> pass() {
    while (!open_) {
      co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }

 private:
  asio::steady_timer timer_;
  bool open_ = true;
};

/// Answers in their order, then the one that stands for all further calls.
template <class Answer, class... Asked>
class Script {
 public:
  using Step = std::function<Answer(Asked...)>;

  explicit Script(const char* name) : name_(name) {}
  Script& then(Step step) {
    once_.push_back(std::move(step));
    return *this;
  }
  void always(Step step) { always_ = std::move(step); }

  Answer operator()(Asked... asked) {
    ++calls;
    Step step = always_;
    if (!once_.empty()) {
      step = std::move(once_.front());
      once_.pop_front();
    }
    // Both, because a pass takes what its store throws for a defect of one journey.
    if (!step) {
      ++unscripted;
      throw std::logic_error(std::string("unscripted call of ") + name_);
    }
    return step(asked...);
  }

  int calls = 0;
  int unscripted = 0;

 private:
  const char* name_;
  std::deque<Step> once_;
  Step always_;
};

using Ids = std::vector<OperationId>;

struct FakeStore final : Store {
  explicit FakeStore(asio::io_context& loop) : record_gate(loop) {}
  ~FakeStore() override {
    CHECK(on_take_over.unscripted + on_read_back_takeover.unscripted + on_record.unscripted +
              on_read_back_record.unscripted + on_next_due.unscripted + on_hand_back.unscripted +
              on_postpone.unscripted ==
          0);
  }

  Awaitable<sql::Result<Takeover>> take_over(TakeoverRequest request) override {
    requests.push_back(request);
    co_return on_take_over(request);
  }
  Awaitable<sql::Result<Takeover>> read_back_takeover(OwnerToken token) override {
    read_back_tokens.push_back(token);
    co_return on_read_back_takeover(token);
  }
  Awaitable<sql::Result<Ids>> record(std::span<const Entry> entries) override {
    batches.emplace_back(entries.begin(), entries.end());
    const auto batch = batches.back();
    co_await record_gate.pass();
    co_return on_record(batch);
  }
  Awaitable<sql::Result<Ids>> read_back_record(std::span<const Entry> entries) override {
    const std::vector<Entry> asked(entries.begin(), entries.end());
    co_return on_read_back_record(asked);
  }
  Awaitable<sql::Result<std::optional<Duration>>> next_due(DatabaseTime after) override {
    co_return on_next_due(after);
  }
  Awaitable<sql::Result<Ids>> hand_back(std::span<const Ownership> owned) override {
    const std::vector<Ownership> given(owned.begin(), owned.end());
    co_return on_hand_back(given);
  }
  Awaitable<sql::Result<bool>> postpone(Ownership owned, Duration wait) override {
    co_return on_postpone(owned, wait);
  }
  Awaitable<sql::Result<std::int64_t>> count_due(DatabaseTime) override {
    throw std::logic_error("a pass does not count");
  }

  std::vector<TakeoverRequest> requests;
  std::vector<OwnerToken> read_back_tokens;
  std::vector<std::vector<Entry>> batches;  ///< each call of record
  Turnstile record_gate;

  Script<sql::Result<Takeover>, const TakeoverRequest&> on_take_over{"take_over"};
  Script<sql::Result<Takeover>, OwnerToken> on_read_back_takeover{"read_back_takeover"};
  Script<sql::Result<Ids>, const std::vector<Entry>&> on_record{"record"};
  Script<sql::Result<Ids>, const std::vector<Entry>&> on_read_back_record{"read_back_record"};
  Script<sql::Result<std::optional<Duration>>, DatabaseTime> on_next_due{"next_due"};
  Script<sql::Result<Ids>, const std::vector<Ownership>&> on_hand_back{"hand_back"};
  Script<sql::Result<bool>, const Ownership&, Duration> on_postpone{"postpone"};
};

struct FakeProvider final : Provider {
  explicit FakeProvider(asio::io_context& loop) : gate(loop) {}

  Awaitable<Look> look_up(const Operation& operation, DatabaseTime, SteadyTime) override {
    asked.push_back(operation.id);
    if (rate_limit) rate_limit->reserve(SteadyClock::now());
    co_await gate.pass();
    co_return answer(operation);
  }

  std::vector<OperationId> asked;
  std::shared_ptr<RateLimit> rate_limit;  ///< one request of it for each lookup, where there is one
  Turnstile gate;
  Script<Look, const Operation&> answer{"look_up"};
};

struct FakeEvents final : Events {
  void taken_over(const Lease& lease) override { taken.push_back(lease.operation.id); }
  void recorded(const Lease& lease, const Look&, const Verdict&) override {
    recorded_ids.push_back(lease.operation.id);
  }
  void ownership_lost(const Lease& lease, const Verdict&) override {
    lost.push_back(lease.operation.id);
  }
  void record_refused(const Ownership& owned, const sql::Error& error) override {
    refused.push_back(to_string(owned.operation_id).substr(35) + " " + error.sqlstate);
  }
  void resubmitted(const Lease& lease, const CreateAnswer&) override {
    resubmissions.push_back(lease.operation.id);
  }
  void resubmission_off(const Lease&, bool tripped_now) override { ++(tripped_now ? trips : offs); }
  void handed_back(std::size_t operations) override { handed += operations; }
  void provider_unavailable(ProviderSignal::Kind) override { ++unavailable; }
  void provider_available() override { ++available; }
  void database_failed(const sql::Error&) override { ++failed; }
  void database_works() override { ++works; }
  void defect(const OperationId& operation, const std::string& what) override {
    defects.push_back(to_string(operation).substr(35) + " " + what);
  }
  void turned(std::size_t) override { ++turns; }

  std::vector<OperationId> taken, recorded_ids, lost, resubmissions;
  int trips = 0, offs = 0;
  std::vector<std::string> refused, defects;
  std::size_t handed = 0;
  int unavailable = 0, available = 0, failed = 0, works = 0, turns = 0;
};

/// The n-th operation's id; n of one digit.
inline OperationId id(int n) {
  return {*parse_uuid("00000000-0000-4000-8000-00000000000" + std::to_string(n))};
}
inline OwnerToken token(int n) { return {id(n).value}; }

/// Answers of a provider: one settled credit of 250.00 USD for A-1, none, silence.
inline Look found(const Operation&) {
  Credit credit{"cr_1", "A-1", *Decimal::parse("250.00"), "USD", CreditState::settled};
  return {.finding = Found{{credit}}, .http_status = 200, .pages = 1};
}
inline Look absent(const Operation&) { return {.finding = Absent{}, .http_status = 404}; }
inline Look no_answer(const Operation&) {
  return {.finding = NoAnswer{"silence"}, .signal = {ProviderSignal::Kind::no_answer, {}}};
}

inline Ids ids_of(const std::vector<Entry>& entries) {
  Ids ids;
  for (const auto& entry : entries) ids.push_back(entry.ownership.operation_id);
  return ids;
}

}  // namespace reconciled::test
