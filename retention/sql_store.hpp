// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "retention/store.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// The role that a sweep acts as (design section 3).
inline constexpr char kRetentionRole[] = "reconciled_retention";

/// Rows that would go, by the day (UTC) of the time that lets them go.
struct DayCount {
  std::string day;  ///< 2026-11-30
  std::int64_t rows = 0;
  std::int64_t answers_lost = 0;  ///< of idempotency records: those that are Executed
};

/// The store on PostgreSQL: statements of sql/statements/. server(), mark(), bound() and the
/// counts change nothing and need SELECT only, so that a dry run can use them.
class SqlCleanupStore final : public CleanupStore {
 public:
  /// `database` must outlive the store.
  explicit SqlCleanupStore(sql::Database& database) : database_(database) {}

  Awaitable<sql::Result<ServerFacts>> server() override;
  Awaitable<sql::Result<MarkFacts>> mark() override;
  Awaitable<sql::Result<BoundFacts>> bound() override;
  Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) override;
  Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime cut_off,
                                                           int at_most) override;
  Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int at_most) override;

  Awaitable<sql::Result<std::vector<DayCount>>> consumptions_by_day(DatabaseTime cut_off);
  Awaitable<sql::Result<std::vector<DayCount>>> idempotency_records_by_day();

 private:
  sql::Database& database_;
};

}  // namespace reconciled
