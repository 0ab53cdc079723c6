// SPDX-License-Identifier: Apache-2.0
// The narrow door to the operations table: what a pass can ask of it and write into it. Every write
// is fenced by the statement itself. Errors are sql::Error; `in_doubt` means that the write may
// have happened.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/verdict.hpp"
#include "recovery/lease.hpp"
#include "sql/error.hpp"

namespace reconciled {

struct TakeoverRequest {
  int at_most = 1;
  OwnerToken
      owner_token;  ///< fresh for each takeover, so that a lost acknowledgement can be read back
  Duration lease{};
  std::optional<DatabaseTime> due_before = {};  ///< only what was due then (--once)
  std::optional<OperationId> not_this = {};     ///< the operation of the last probe
};

struct Takeover {
  DatabaseTime as_of;
  std::vector<Lease>
      leases;  ///< oldest lease first; taken_at and work_until are not set by the store
};

/// One verdict on its way into the database.
struct Entry {
  Ownership ownership;
  Verdict verdict;
  Duration wait{};  ///< of an Unknown: until the next look, counted from the moment of recording
  std::string_view finding;  ///< its word
  int http_status = 0;       ///< 0: none
  int pages = 0;
  Duration duration{};
  std::string detail;                       ///< JSON object for evidence, empty for none
  std::string_view step = "lookup";         ///< what the verdict came from: lookup or create
  std::optional<Duration> not_before = {};  ///< no create before that, counted from recording
  SteadyTime give_up_at;  ///< when trying to record it ends: the lease is over, and the next owner
                          ///< looks again
};

struct Store {
  virtual ~Store() = default;

  /// Takes over what is due, oldest lease first. Fewer than at_most, or none, is normal.
  virtual Awaitable<sql::Result<Takeover>> take_over(TakeoverRequest request) = 0;
  /// What a takeover with this token holds, if it was committed.
  virtual Awaitable<sql::Result<Takeover>> read_back_takeover(OwnerToken token) = 0;

  /// Records verdict and evidence in one statement; the ids that were recorded. The others were not
  /// owned any more.
  virtual Awaitable<sql::Result<std::vector<OperationId>>> record(
      std::span<const Entry> entries) = 0;
  /// Those of the entries whose verdict is in evidence under their own version and token.
  virtual Awaitable<sql::Result<std::vector<OperationId>>> read_back_record(
      std::span<const Entry> entries) = 0;

  /// How long until the earliest lease that ends after `after`; nullopt if there is none. Zero or
  /// less: it has ended by now.
  virtual Awaitable<sql::Result<std::optional<Duration>>> next_due(DatabaseTime after) = 0;
  /// Gives ownership up without a verdict; due at once.
  virtual Awaitable<sql::Result<std::vector<OperationId>>> hand_back(
      std::span<const Ownership> owned) = 0;
  /// Moves the lease's end of a row whose verdict cannot be written. True if it was ours.
  virtual Awaitable<sql::Result<bool>> postpone(Ownership owned, Duration wait) = 0;
  /// Unresolved rows that were due then.
  virtual Awaitable<sql::Result<std::int64_t>> count_due(DatabaseTime due_before) = 0;
};

}  // namespace reconciled
