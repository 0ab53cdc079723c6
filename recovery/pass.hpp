// SPDX-License-Identifier: Apache-2.0
// The pass: take over what is due, look it up, judge, record; sleep until the next lease ends
// (design §4).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <limits>
#include <list>
#include <memory>
#include <optional>

#include "reconcile/guarantees.hpp"
#include "reconcile/health.hpp"
#include "reconcile/provider.hpp"
#include "reconcile/rate_limit.hpp"
#include "recovery/backoff.hpp"
#include "recovery/events.hpp"
#include "recovery/recorder.hpp"
#include "recovery/resubmission.hpp"
#include "recovery/store.hpp"

namespace reconciled {

/// What a pass takes from the settings and the profile. Replaced as a whole on reload; a journey
/// keeps what it began with.
struct Terms {
  bool enabled = true;            ///< recovery.enabled
  Duration lease = 60s;           ///< timings.recovery_lease
  Duration lease_margin = 5s;     ///< timings.lease_margin
  Duration lookup_timeout = 10s;  ///< provider.timeout
  Duration poll_interval = 5s;
  Duration drain_timeout = 20s;
  Duration heartbeat = 5s;   ///< the loop turns at least this often, whatever it waits for
  Duration late_truth = 6h;  ///< recovery.late_truth
  Duration late_truth_for = 24h * 30;  ///< recovery.late_truth_for
  int max_in_flight = 64;
  Backoff backoff;
  Patience patience;
  Guarantees guarantees;
  std::shared_ptr<Provider> provider;
  std::shared_ptr<RateLimit> rate_limit;
  std::shared_ptr<Resubmission> resubmission = {};  ///< recovery.resubmit; null: off
};

/// --once: only what was due at `due_before`, then the end.
struct OneShot {
  DatabaseTime due_before;
  /// How many that were: rows that come later do not keep it alive.
  std::int64_t operations = std::numeric_limits<std::int64_t>::max();
};

struct PassResult {
  std::int64_t undecided =
      0;  ///< of a one-shot: looked at and still Unknown, not recorded, or never reached
  bool database_down = false;  ///< a one-shot ended because the database did not answer
  bool provider_down = false;  ///< … because the provider's breaker is open
};

class Pass {
 public:
  /// store, health and events must outlive the pass. All calls are made on the executor's thread.
  Pass(const boost::asio::any_io_executor& executor, Store& store, ProviderHealth& health,
       Events& events, std::shared_ptr<const Terms> terms,
       std::optional<OneShot> once = std::nullopt);
  ~Pass();

  /// Runs until stop() or, for a one-shot, until nothing is left; then drains: what is in flight
  /// may finish within drain_timeout, the rest is handed back.
  Awaitable<PassResult> run();

  void stop();
  void replace_terms(std::shared_ptr<const Terms> terms);
  std::size_t in_flight() const noexcept { return journeys_.size(); }

  /// A lookup without ownership, for late truth, inside the limits that the pass keeps: it holds a
  /// lookup slot, and its answer counts for the provider's health. nullopt: not now, because no
  /// slot is free, the rate limit allows none, or the provider is not to be asked.
  Awaitable<std::optional<Look>> look_beside(Operation operation, DatabaseTime as_of);

 private:
  /// One operation on its way from takeover to record.
  struct Journey {
    Lease lease;
    std::shared_ptr<const Terms> terms;
    bool looking = true;    ///< holds a lookup slot
    bool creating = false;  ///< likewise, but nothing may cancel it: a create may be on its way
    boost::asio::cancellation_signal cancel = {};
  };
  struct Doubt {
    OwnerToken token;
    SteadyTime began;
  };

  Awaitable<Duration> turn();
  int wanted();
  Duration wait_for_room();
  Awaitable<std::optional<Takeover>> take_over(int at_most);
  Awaitable<std::optional<Takeover>> take_over_once(int at_most,
                                                    std::optional<OperationId> not_this);
  Awaitable<Duration> until_next_due(DatabaseTime as_of);
  void begin(Lease lease, SteadyTime work_until);
  static Duration until_next_look(const Journey& journey, const Entry& entry);
  Awaitable<void> settle(Journey& journey);
  void tell(const Journey& journey, const Look& look, const Entry& entry, Recorded recorded);
  Awaitable<std::optional<Attempt>> create_again(Journey& journey, const Look& look,
                                                 const Verdict& verdict);
  void note_provider(const Journey& journey, const ProviderSignal& signal);
  void looked(Journey& journey);
  bool may_look_beside() const;
  void ended(Journey& journey, const std::exception_ptr& why);
  Awaitable<void> pause(Duration wait);
  Awaitable<void> drain();
  Awaitable<void> hand_back();
  void wake();
  void wake_within(Duration wait);

  boost::asio::any_io_executor executor_;
  Store& store_;
  ProviderHealth& health_;
  Events& events_;
  Recorder recorder_;
  std::shared_ptr<const Terms> terms_;
  const std::optional<OneShot> once_;
  std::int64_t left_ = 0;  // of a one-shot: operations it may still take over
  PassResult result_;

  std::list<Journey> journeys_;       // at most kInFlightMost × max_in_flight
  int looking_ = 0;                   // of these, how many hold a lookup slot
  std::int64_t begun_ = 0;            // journeys since the start
  bool starved_ = false;              // the loop waits for room
  int database_failures_ = 0;         // in a row
  std::optional<Doubt> doubt_;        // a takeover whose acknowledgement was lost
  std::vector<Ownership> abandoned_;  // lookups that were cancelled by the drain
  bool finished_ = false;
  bool stopping_ = false;
  bool drained_ = false;  // drain_timeout is over: nothing is sent any more
  boost::asio::steady_timer alarm_;
  SteadyTime wake_at_ = SteadyTime::max();
};

}  // namespace reconciled
