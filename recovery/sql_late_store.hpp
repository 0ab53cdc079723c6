// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recovery/late_truth.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// late_due.sql and late_record.sql.
class SqlLateStore final : public LateStore {
 public:
  /// `database` must outlive the store. `instance` is written into evidence.
  SqlLateStore(sql::Database& database, std::string instance)
      : database_(database), instance_(std::move(instance)) {}

  Awaitable<sql::Result<LateTurn>> take_turn(LateTurnRequest request) override;
  Awaitable<sql::Result<bool>> record(LateEntry entry) override;

 private:
  sql::Database& database_;
  const std::string instance_;
};

}  // namespace reconciled
