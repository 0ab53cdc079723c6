// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recovery/attempt_store.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// `name` or `schema.name` with each part as a quoted identifier, whatever it holds.
std::string quoted_function(std::string_view name);

class SqlAttemptStore final : public AttemptStore {
 public:
  /// `database` must outlive the store. `eligibility_function`: recovery.eligibility_function.
  SqlAttemptStore(sql::Database& database, std::string instance,
                  std::string_view eligibility_function);

  Awaitable<sql::Result<Permit>> permit(PermitRequest request) override;
  Awaitable<sql::Result<bool>> defer(Ownership owned, std::string sqlstate) override;
  Awaitable<sql::Result<bool>> may_send_again(Ownership owned) override;

 private:
  sql::Database& database_;
  const std::string instance_;
  // Shared with the calls that are under way: a reload may replace this store meanwhile.
  const std::shared_ptr<const std::string> name_;
  const std::shared_ptr<const std::string> text_;
};

}  // namespace reconciled
