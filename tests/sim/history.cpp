// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/history.hpp"

#include <algorithm>

#include "tests/sim/processes.hpp"
#include "tests/sim/verify.hpp"
#include "tests/sim/virtual_time.hpp"

namespace reconciled::sim {
namespace {

constexpr Duration kFaultsFor = 1h;
constexpr int kTurnsMost = 50'000;  // a hundred times what a history needs
constexpr int kPatience = 200;
constexpr Duration kAtMost = 12h;  // everything has come to its end long before

Guarantees draw_guarantees(Random& random) {
  Guarantees promised;
  promised.processing_time = random.between(1ms, 2min);
  if (random.percent(50)) promised.visibility_lag = random.between(1s, 10min);
  return promised;
}

class History {
 public:
  History(std::uint64_t seed, Bug bug)
      : random_(seed),
        began_(SteadyClock::now()),
        database_([this] { return database_now(); }, bug),
        ledger_(draw_guarantees(random_), random_, bug),
        world_{random_, draw_faults(random_, began_, kFaultsFor), database_, ledger_},
        service_(world_) {
    const int operations = 1 + random_.below(3);
    for (int number = 1; number <= operations; ++number) service_.begin(number);
    const int daemons = 1 + random_.below(3);
    for (int at = 0; at < daemons; ++at)
      daemons_.push_back(std::make_unique<Daemon>(world_, at == 0));
    draw_incidents();
  }

  Outcome run() {
    for (int turns = 0; SteadyClock::now() < began_ + kAtMost; ++turns) {
      if (turns == kTurnsMost) {
        world_.wrong.emplace_back("it does not come to rest");
        break;
      }
      strike();
      if (run_all()) continue;
      if (settled()) break;
      sim::advance(std::max<Duration>(until_next(), 1us));
    }
    return verify(world_, clock_stepped_);
  }

 private:
  enum class Incident { kill, pause, stop, clock };
  struct Planned {
    SteadyTime at;
    Incident incident;
    int patience;  ///< how often it may still wait for a daemon that is amid something
  };

  DatabaseTime database_now() const {
    return {std::chrono::floor<Duration>(SteadyClock::now().time_since_epoch()) + clock_offset_};
  }

  void draw_incidents() {
    for (int left = random_.below(4); left > 0; --left)
      planned_.push_back({began_ + random_.between(0s, kFaultsFor),
                          static_cast<Incident>(random_.below(random_.percent(10) ? 4 : 3)),
                          random_.percent(70) ? kPatience : 0});
    std::ranges::sort(planned_, std::greater{}, &Planned::at);
  }

  void strike() {
    while (!planned_.empty() && planned_.back().at <= SteadyClock::now()) {
      auto next = planned_.back();
      planned_.pop_back();
      if (!strike(next)) {
        next.at = SteadyClock::now() + random_.between(100ms, 2s);
        planned_.insert(std::ranges::upper_bound(planned_, next.at, std::greater{}, &Planned::at),
                        next);
      }
    }
    // Whoever was stopped is started again, as systemd would.
    for (auto& daemon : daemons_)
      if (daemon->ended()) daemon = std::make_unique<Daemon>(world_, daemon == daemons_.front());
  }

  /// False if it waits for a better moment.
  bool strike(Planned& planned) {
    const auto count = static_cast<int>(daemons_.size());
    auto& victim = daemons_[static_cast<std::size_t>(random_.below(count))];
    if (planned.patience > 0 && !victim->is_busy()) {
      --planned.patience;
      return false;
    }
    switch (planned.incident) {
      case Incident::kill:  // nothing of it goes on; what it sent may arrive all the same
        victim = std::make_unique<Daemon>(world_, victim == daemons_.front());
        break;
      case Incident::pause:
        victim->paused_until = SteadyClock::now() + random_.between(1s, 10min);
        break;
      case Incident::stop:
        victim->stop();
        break;
      case Incident::clock:
        clock_offset_ += random_.between(-2h, 2h);
        clock_stepped_ = true;
        break;
    }
    return true;
  }

  static bool runs(const Daemon& daemon) { return daemon.paused_until <= SteadyClock::now(); }

  bool run_all() {
    bool worked = run_ready(service_.loop);
    for (auto& daemon : daemons_)
      if (runs(*daemon) && run_ready(daemon->loop)) worked = true;
    return worked;
  }

  Duration until_next() {
    const auto now = SteadyClock::now();
    auto next = began_ + kAtMost;
    if (!planned_.empty()) next = std::min(next, planned_.back().at);
    const auto at_timer = [&](boost::asio::io_context& loop) {
      if (const auto wait = until_next_timer(loop)) next = std::min(next, now + *wait);
    };
    at_timer(service_.loop);
    for (auto& daemon : daemons_) {
      if (runs(*daemon))
        at_timer(daemon->loop);
      else
        next = std::min(next, daemon->paused_until);
    }
    return std::chrono::ceil<Duration>(std::min(next - now, std::chrono::nanoseconds{4min}));
  }

  bool settled() {
    if (!planned_.empty() || until_next_timer(service_.loop)) return false;
    return std::ranges::none_of(database_.rows,
                                [](const auto& one) { return unresolved(one.second.status); });
  }

  Random random_;
  const SteadyTime began_;
  Duration clock_offset_{};
  bool clock_stepped_ = false;
  Database database_;
  Ledger ledger_;
  World world_;
  Service service_;
  std::vector<std::unique_ptr<Daemon>> daemons_;
  std::vector<Planned> planned_;  // the next one last
};

}  // namespace

Outcome run_history(std::uint64_t seed, Bug bug) {
  sim::seed(seed);
  return History{seed, bug}.run();
}

}  // namespace reconciled::sim
