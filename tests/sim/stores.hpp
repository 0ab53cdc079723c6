// SPDX-License-Identifier: Apache-2.0
// One daemon's connection to the simulated database: statements take time, get lost, and lose their
// answers.
#pragma once

#include "retention/store.hpp"
#include "tests/sim/database.hpp"
#include "tests/sim/faults.hpp"

namespace reconciled::sim {

/// What its callers reference must outlive it and its calls.
class Connection {
 public:
  Connection(Database& database, const Faults& faults, Random& random)
      : database_(database), faults_(faults), random_(random) {}

  /// Runs `statement` on the database somewhere between now and the answer.
  template <class Statement>
  Awaitable<sql::Result<std::invoke_result_t<Statement, Database&>>> run(Statement statement) {
    co_await some_time();
    if (down()) co_return sql::Error{sql::Trouble::not_connected, "", "nobody listens"};
    if (faults_.chance(random_, faults_.lost_requests)) co_return in_doubt();
    auto result = statement(database_);
    if (faults_.chance(random_, faults_.lost_acknowledgements)) co_return in_doubt();
    co_await some_time();
    if (down()) co_return in_doubt();
    co_return result;
  }

  bool refuses_a_row() { return faults_.chance(random_, faults_.bad_rows); }

 private:
  Awaitable<void> some_time();
  bool down() const { return faults_.database_down.holds(SteadyClock::now()); }
  static sql::Error in_doubt() { return {sql::Trouble::in_doubt, "", "the answer did not come"}; }

  Database& database_;
  const Faults& faults_;
  Random& random_;
};

class SimulatedStore final : public Store {
 public:
  explicit SimulatedStore(Connection connection) : connection_(connection) {}

  Awaitable<sql::Result<Takeover>> take_over(TakeoverRequest request) override;
  Awaitable<sql::Result<Takeover>> read_back_takeover(OwnerToken token) override;
  Awaitable<sql::Result<std::vector<OperationId>>> record(std::span<const Entry> entries) override;
  Awaitable<sql::Result<std::vector<OperationId>>> read_back_record(
      std::span<const Entry> entries) override;
  Awaitable<sql::Result<std::optional<Duration>>> next_due(DatabaseTime after) override;
  Awaitable<sql::Result<std::vector<OperationId>>> hand_back(
      std::span<const Ownership> owned) override;
  Awaitable<sql::Result<bool>> postpone(Ownership owned, Duration wait) override;
  Awaitable<sql::Result<std::int64_t>> count_due(DatabaseTime due_before) override;

 private:
  Connection connection_;
};

class SimulatedCleanupStore final : public CleanupStore {
 public:
  explicit SimulatedCleanupStore(Connection connection) : connection_(connection) {}

  Awaitable<sql::Result<ServerFacts>> server() override;
  Awaitable<sql::Result<MarkFacts>> mark() override;
  Awaitable<sql::Result<BoundFacts>> bound() override;
  Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) override;
  Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime cut_off,
                                                           int at_most) override;
  Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int at_most) override;

 private:
  Connection connection_;
};

}  // namespace reconciled::sim
