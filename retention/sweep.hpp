// SPDX-License-Identifier: Apache-2.0
// The sweep: look, choose the cut-off, announce it in the mark, delete in small batches (design
// section 7). It never touches operations, and its failures are nobody else's.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <set>
#include <string_view>

#include "base/awaitable.hpp"
#include "retention/events.hpp"
#include "retention/look.hpp"
#include "retention/store.hpp"
#include "retention/terms.hpp"

namespace reconciled {

enum class SweepEnd {
  finished,    ///< nothing is left that may go
  more,        ///< its limit of batches is reached, and there may be more
  refused,     ///< a reason stands
  interrupted  ///< stop() was called
};

/// Batches of one sweep: it looks anew before it deletes more.
inline constexpr int kSweepBatchesMost = 200;

class Sweeper {
 public:
  /// store and events must outlive the sweeper. All calls are made on the executor's thread.
  Sweeper(const boost::asio::any_io_executor& executor, CleanupStore& store, CleanupEvents& events,
          std::shared_ptr<const CleanupTerms> terms, HostClocks clocks = {});

  /// Sweeps at once, and then after each interval, until stop().
  Awaitable<void> run();
  /// One sweep. Throws what a defect throws.
  Awaitable<SweepEnd> sweep();
  /// Sweeps until nothing is left that may go, or something refuses.
  Awaitable<void> sweep_all();

  /// Nothing more is begun; a statement that runs comes to its end.
  void stop();
  /// Wakes a sweeper that waits.
  void replace_terms(std::shared_ptr<const CleanupTerms> terms);

 private:
  Awaitable<std::optional<ServerFacts>> look(const CleanupTerms& terms);
  Awaitable<bool> raise_mark(const ServerFacts& facts, DatabaseTime until);
  Awaitable<SweepEnd> delete_consumptions(const CleanupTerms& terms, DatabaseTime until,
                                          SweepCounts& counts);
  Awaitable<SweepEnd> delete_records(const CleanupTerms& terms, SweepCounts& counts);
  SweepEnd refuse(const std::vector<Refusal>& refusals);
  SweepEnd refuse(std::string_view doing, const sql::Error& error);
  void permit();
  Awaitable<void> wait(Duration span);

  CleanupStore& store_;
  CleanupEvents& events_;
  std::shared_ptr<const CleanupTerms> terms_;
  const HostClocks clocks_;
  boost::asio::steady_timer alarm_;
  bool stopping_ = false;
  CleanupMemory memory_;
  std::set<std::string> told_;  // keys of the reasons that stand
};

}  // namespace reconciled
