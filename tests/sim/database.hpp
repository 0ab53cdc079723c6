// SPDX-License-Identifier: Apache-2.0
// The contract's tables in memory, with what each statement of a pass and of a sweep does to them.
// tests/pg/simulated_database_test.cpp holds it to the SQL: the same random calls on both.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "recovery/store.hpp"

namespace reconciled::sim {

enum class Status { admitted, unknown, succeeded, failed, needs_reconciliation };
std::string_view word(Status status) noexcept;

struct Row {
  Operation operation;
  std::string grant;
  Status status = Status::admitted;
  OwnerVersion owner_version = {1};
  std::optional<OwnerToken> owner_token = {};
  DatabaseTime lease_until;
  std::string provider_reference = {};
  SteadyTime taken_at = {};  ///< the last takeover; for the judge of the simulation alone
};

struct Evidence {
  OperationId operation_id;
  OwnerVersion owner_version;
  std::optional<OwnerToken> owner_token;
  std::string step, finding, decision, reason, provider_reference;
  SteadyTime taken_at, at;  ///< the takeover before it, and itself; for the judge alone
};

/// Ways to be wrong on purpose, so that it is seen whether the simulation finds them.
enum class Bug {
  none,
  record_without_fence,
  takeover_of_running_leases,
  unknown_keeps_its_lease,
  claim_below_the_mark,
  provider_beyond_its_promise
};

class Database {
 public:
  using Clock = std::function<DatabaseTime()>;

  explicit Database(Clock clock, Bug bug = Bug::none) : clock_(std::move(clock)), bug_(bug) {}

  DatabaseTime now() const { return clock_(); }

  // What a pass may ask for, see recovery/store.hpp.
  Takeover take_over(const TakeoverRequest& request);
  Takeover read_back_takeover(OwnerToken token) const;
  std::vector<OperationId> record(std::span<const Entry> entries);
  std::vector<OperationId> read_back_record(std::span<const Entry> entries) const;
  std::optional<Duration> next_due(DatabaseTime after) const;
  std::vector<OperationId> hand_back(std::span<const Ownership> owned);
  bool postpone(const Ownership& owned, Duration wait);
  std::int64_t count_due(DatabaseTime due_before) const;

  // What the service does.
  bool record_outcome(OperationId id, OwnerVersion version, Status outcome,
                      const std::string& reference);
  bool may_submit(OperationId id, OwnerVersion version) const;
  /// False if the grant was used. `asked_at`: when the statement began, which may be long ago.
  bool claim(const Row& row, DatabaseTime asked_at, DatabaseTime retain_until);

  // What a sweep does.
  DatabaseTime raise_mark(DatabaseTime cut_off);
  std::int64_t delete_consumptions(DatabaseTime cut_off, int at_most);

  std::map<OperationId, Row> rows;
  std::vector<Evidence> evidence;
  std::map<std::string, DatabaseTime> consumptions;  ///< grant, and until when its row is kept
  std::optional<DatabaseTime> mark;

 private:
  Row* owned_row(const Ownership& owned);
  Lease lease_of(const Row& row, DatabaseTime as_of, DatabaseTime due_since) const;
  EarlierLooks earlier(const Row& row) const;

  Clock clock_;
  Bug bug_;
};

inline bool unresolved(Status status) noexcept {
  return status == Status::admitted || status == Status::unknown;
}

}  // namespace reconciled::sim
