// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recovery/store.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// The store on PostgreSQL: one statement of sql/statements/ for each call.
class SqlStore final : public Store {
 public:
  /// `database` must outlive the store. `instance` is written into evidence.
  SqlStore(sql::Database& database, std::string instance);

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
  sql::Database& database_;
  const std::string instance_;
};

/// Reads row `row` of a statement with the takeover's columns (take_over, read_back_takeover,
/// preview_due).
Lease read_lease(const sql::Rows& rows, std::size_t row);

}  // namespace reconciled
