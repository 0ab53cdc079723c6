// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/processes.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled::sim {
namespace {

namespace asio = boost::asio;

constexpr Duration kWindow = 30min;  // timings.submission_window
constexpr Duration kExecutionLease = 60s;
constexpr Duration kLeeway = 30s;
constexpr Duration kHour = 1h;

std::shared_ptr<const Terms> terms_of(World& world) {
  auto terms = std::make_shared<Terms>();
  terms->poll_interval = 2min;  // rare wake-ups: a history of hours must cost little
  terms->heartbeat = 10min;
  terms->max_in_flight = 1 + world.random.below(4);
  terms->patience.give_up_after = 2h;
  terms->guarantees = world.ledger.promised();
  terms->provider = std::make_shared<SimulatedProvider>(world.ledger, world.faults, world.random);
  terms->rate_limit = std::make_shared<RateLimit>(0);
  return terms;
}

std::shared_ptr<const CleanupTerms> cleanup_terms(bool sweeps) {
  auto terms = std::make_shared<CleanupTerms>();
  terms->consumptions = sweeps;
  terms->interval = 10min;
  terms->timings = {10min, 0s, 5s};
  return terms;
}

/// The host's clock is right; the database's may not be.
HostClocks clocks() {
  return {
      [] { return HostTime{std::chrono::floor<Duration>(SteadyClock::now().time_since_epoch())}; },
      [] { return SteadyClock::now(); }};
}

}  // namespace

struct Daemon::Quiet final : Events, CleanupEvents {
  explicit Quiet(World& in) : world(in) {}

  void taken_over(const Lease&) override {}
  void recorded(const Lease&, const Look&, const Verdict&) override {}
  void ownership_lost(const Lease&, const Verdict&) override {}
  void record_refused(const Ownership&, const sql::Error&) override {}
  void resubmitted(const Lease&, const CreateAnswer&) override {}
  void resubmission_off(const Lease&, bool) override {}
  void handed_back(std::size_t) override {}
  void provider_unavailable(ProviderSignal::Kind) override {}
  void provider_available() override {}
  void database_failed(const sql::Error&) override {}
  void database_works() override {}
  void defect(const OperationId& id, const std::string& what) override {
    world.wrong.push_back("defect at " + to_string(id) + ": " + what);
  }
  void turned(std::size_t) override {}
  void swept(const SweepCounts&) override {}
  void refused(const Refusal&) override {}
  void permitted() override {}
  void clock_step(Duration) override {}
  void answer_lost(const LostAnswer&) override {}
  void sweep_defect(const std::string& what) override { world.wrong.push_back("sweep: " + what); }

  World& world;
};

Daemon::Daemon(World& world, bool sweeps)
    : events_(std::make_unique<Quiet>(world)),
      store_(Connection{world.database, world.faults, world.random}),
      cleanup_store_(Connection{world.database, world.faults, world.random}),
      pass_(loop.get_executor(), store_, health_, *events_, terms_of(world)),
      sweeper_(loop.get_executor(), cleanup_store_, *events_, cleanup_terms(sweeps), clocks()) {
  asio::co_spawn(loop, pass_.run(),
                 [ended = ended_](const std::exception_ptr&, PassResult) { *ended = true; });
  if (sweeps) asio::co_spawn(loop, sweeper_.run(), asio::detached);
}

Daemon::~Daemon() = default;

Awaitable<void> Service::wait(Duration least, Duration most) {
  asio::steady_timer timer{loop, world_.random.between(least, most)};
  co_await timer.async_wait(asio::use_awaitable);
}

void Service::begin(int number) { asio::co_spawn(loop, execute(number), asio::detached); }

Awaitable<void> Service::execute(int number) {
  co_await wait(0s, 10min);
  auto& database = world_.database;
  const auto now = database.now();
  Row row;
  row.operation.id.value.bytes[15] = static_cast<std::uint8_t>(number);
  row.operation.account_id = "A-1";
  row.operation.amount = Decimal::parse("250.00");
  row.operation.currency = "USD";
  row.operation.created_at = now;
  row.operation.submit_by = now + kWindow;
  row.lease_until = now + kExecutionLease;
  row.grant = "g-" + std::to_string(number);
  const auto retain_until = now + world_.random.between(1s, 10min) + kLeeway;
  if (!database.claim(row, now, retain_until)) co_return;
  if (world_.random.percent(30)) asio::co_spawn(loop, replay(row, retain_until), asio::detached);
  if (world_.random.percent(25)) co_return;  // it died before it could send
  auto operation = row.operation;
  co_await create(std::move(operation));
}

Awaitable<void> Service::create(Operation operation) {
  auto& database = world_.database;
  auto& random = world_.random;
  co_await wait(0s, 40s);
  if (!database.may_submit(operation.id, {1})) co_return;
  if (random.percent(10)) co_return;  // lost on its way
  auto reference = world_.ledger.create(operation);
  if (random.percent(5)) world_.ledger.create(operation);  // a client that sends twice
  co_await wait(1ms, random.percent(20) ? Duration{5min} : Duration{3s});
  if (random.percent(60)) co_return;  // the answer was lost, or the process died
  const auto& held = world_.ledger.held(operation.id);
  const bool sure = held.size() == 1 && held.front().credit.amount == *operation.amount &&
                    held.front().credit.state == CreditState::settled;
  database.record_outcome(operation.id, {1}, sure ? Status::succeeded : Status::unknown,
                          sure ? reference : "");
}

/// A statement that began before the deadline, and was held back for as long as it takes.
Awaitable<void> Service::replay(Row row, DatabaseTime retain_until) {
  co_await wait(0s, 12min);
  const auto asked_at = world_.database.now();
  co_await wait(0s, world_.random.percent(50) ? Duration{5s} : 2 * kHour);
  row.operation.id.value.bytes[14] = 1;
  row.operation.created_at = world_.database.now();
  row.operation.submit_by = row.operation.created_at + kWindow;
  row.lease_until = row.operation.created_at + kExecutionLease;
  if (world_.database.claim(row, asked_at, retain_until))
    world_.wrong.push_back("grant " + row.grant + " was admitted twice");
}

}  // namespace reconciled::sim
