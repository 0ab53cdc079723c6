// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/stores.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled::sim {

namespace asio = boost::asio;

Awaitable<void> Connection::some_time() {
  const bool faulty = SteadyClock::now() < faults_.over;
  const auto slowest = faulty ? faults_.slowest_statement : Duration{5ms};
  asio::steady_timer timer{co_await asio::this_coro::executor, random_.between(1ms, slowest)};
  co_await timer.async_wait(asio::use_awaitable);
}

Awaitable<sql::Result<Takeover>> SimulatedStore::take_over(TakeoverRequest request) {
  return connection_.run([request](Database& database) { return database.take_over(request); });
}

Awaitable<sql::Result<Takeover>> SimulatedStore::read_back_takeover(OwnerToken token) {
  return connection_.run(
      [token](Database& database) { return database.read_back_takeover(token); });
}

Awaitable<sql::Result<std::vector<OperationId>>> SimulatedStore::record(
    std::span<const Entry> entries) {
  // The whole statement fails by one row, and nothing of it is written.
  if (connection_.refuses_a_row())
    co_return sql::Error{sql::Trouble::refused, "23514", "a row is refused"};
  co_return co_await connection_.run(
      [entries](Database& database) { return database.record(entries); });
}

Awaitable<sql::Result<std::vector<OperationId>>> SimulatedStore::read_back_record(
    std::span<const Entry> entries) {
  return connection_.run(
      [entries](Database& database) { return database.read_back_record(entries); });
}

Awaitable<sql::Result<std::optional<Duration>>> SimulatedStore::next_due(DatabaseTime after) {
  return connection_.run([after](Database& database) { return database.next_due(after); });
}

Awaitable<sql::Result<std::vector<OperationId>>> SimulatedStore::hand_back(
    std::span<const Ownership> owned) {
  return connection_.run([owned](Database& database) { return database.hand_back(owned); });
}

Awaitable<sql::Result<bool>> SimulatedStore::postpone(Ownership owned, Duration wait) {
  return connection_.run(
      [owned, wait](Database& database) { return database.postpone(owned, wait); });
}

Awaitable<sql::Result<std::int64_t>> SimulatedStore::count_due(DatabaseTime due_before) {
  return connection_.run(
      [due_before](Database& database) { return database.count_due(due_before); });
}

Awaitable<sql::Result<ServerFacts>> SimulatedCleanupStore::server() {
  return connection_.run([](Database& database) {
    return ServerFacts{database.now(), false, "1", "simulated 1", "reconciled"};
  });
}

Awaitable<sql::Result<MarkFacts>> SimulatedCleanupStore::mark() {
  return connection_.run([](Database& database) {
    MarkFacts facts;
    facts.found = facts.may_raise = true;
    facts.cut_off = database.mark;
    return facts;
  });
}

Awaitable<sql::Result<BoundFacts>> SimulatedCleanupStore::bound() {
  return connection_.run([](Database&) { return BoundFacts{}; });
}

Awaitable<sql::Result<std::optional<DatabaseTime>>> SimulatedCleanupStore::raise_mark(
    DatabaseTime cut_off) {
  return connection_.run([cut_off](Database& database) {
    return std::optional<DatabaseTime>{database.raise_mark(cut_off)};
  });
}

Awaitable<sql::Result<std::int64_t>> SimulatedCleanupStore::delete_consumptions(
    DatabaseTime cut_off, int at_most) {
  return connection_.run([cut_off, at_most](Database& database) {
    return database.delete_consumptions(cut_off, at_most);
  });
}

Awaitable<sql::Result<IdempotencyBatch>> SimulatedCleanupStore::delete_idempotency_records(
    int /*at_most*/) {
  return connection_.run([](Database&) { return IdempotencyBatch{}; });
}

}  // namespace reconciled::sim
