// SPDX-License-Identifier: Apache-2.0
// Late truth (design §4): what was left to a person for absence, no answer or failure at the
// provider is looked at again on a slow schedule, by one daemon at a time and without ownership. A
// credit that appears is evidence and an event; the status stays for a person.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recovery/events.hpp"
#include "recovery/pass.hpp"

namespace reconciled {

/// One operation that waits for a person.
struct LateCase {
  Operation operation;
  OwnerVersion owner_version;
  std::int64_t newest_evidence = 0;  ///< its evidence_id: the fence of what is written
  DatabaseTime as_of;
};

struct LateTurnRequest {
  OwnerToken holder;   ///< this daemon
  Duration turn{};     ///< how long nobody else looks, renewed with each look that is recorded
  Duration every{};    ///< recovery.late_truth
  Duration keep_on{};  ///< recovery.late_truth_for, from when it was left to a person
  std::int64_t at_most = 1;
};

struct LateTurn {
  std::vector<LateCase> cases;   ///< longest unseen first; none if it is somebody else's turn
  std::optional<Duration> wait;  ///< until something may be due; nullopt: nothing is known to be
};

/// What a late look came to. It decides nothing about the status.
struct LateWord {
  bool credit = false;  ///< one is there, or was and is undone
  Verdict verdict;      ///< what a pass would record: its reason and reference are evidence
};

struct LateEntry {
  OwnerToken holder;
  Duration turn{};
  LateCase seen;
  LateWord word;
  std::string_view finding;
  int http_status = 0;  ///< 0: none
  int pages = 0;
  Duration duration{};
  std::string detail;  ///< JSON object for evidence, empty for none
};

struct LateStore {
  virtual ~LateStore() = default;
  virtual Awaitable<sql::Result<LateTurn>> take_turn(LateTurnRequest request) = 0;
  /// True if it is in evidence; false if the turn was lost or the operation has moved.
  virtual Awaitable<sql::Result<bool>> record(LateEntry entry) = 0;
};

struct LateEvents {
  virtual ~LateEvents() = default;
  /// A credit has appeared for an operation that waits for a person. After it is in evidence.
  virtual void late_truth(const LateCase& seen, const Look& look, const LateWord& word) = 0;
};

/// A credit counts unless it failed: one that is undone took effect, and a person must know. Pure.
LateWord judge_late(const LateCase& seen, const Look& look, const Guarantees& promised);

class LateTruth {
 public:
  /// A lookup within the pass's limits; nullopt: not now.
  using LookBeside = std::function<Awaitable<std::optional<Look>>(Operation, DatabaseTime)>;

  /// Rows that one statement hands out; a turn bounds one look, so that this is only thrift.
  static constexpr std::int64_t kBatch = 64;
  /// The wait where the provider or the database cannot be asked now.
  static constexpr Duration kNotNow = 1s;

  /// store, events and late_events must outlive this.
  LateTruth(const boost::asio::any_io_executor& executor, LateStore& store, LookBeside look,
            Events& events, LateEvents& late_events, std::shared_ptr<const Terms> terms);

  /// Until stop(), which it may end with by throwing operation_aborted. Spawn it bound to slot().
  Awaitable<void> run();
  boost::asio::cancellation_slot slot() noexcept { return cancel_.slot(); }
  /// Leaves a lookup that is on its way; a statement comes to its end.
  void stop();
  void replace_terms(std::shared_ptr<const Terms> terms);

 private:
  Awaitable<Duration> turn();
  Awaitable<bool> look_at(const LateCase& seen, const Terms& terms);
  Awaitable<void> pause(Duration wait);

  LateStore& store_;
  const LookBeside look_;
  Events& events_;
  LateEvents& late_events_;
  std::shared_ptr<const Terms> terms_;
  const OwnerToken holder_;
  bool stopping_ = false;
  bool woken_ = false;
  bool looking_ = false;
  boost::asio::cancellation_signal cancel_;
  boost::asio::steady_timer alarm_;
};

}  // namespace reconciled
