// SPDX-License-Identifier: Apache-2.0
// The narrow door of a sweep to the database: what it looks at, and the three things it may do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/awaitable.hpp"
#include "retention/bound.hpp"
#include "retention/facts.hpp"
#include "sql/error.hpp"

namespace reconciled {

/// A movement whose answer went with its record.
struct LostAnswer {
  std::string user_id, endpoint, idempotency_key;
};

struct IdempotencyBatch {
  std::int64_t deleted = 0;
  std::vector<LostAnswer> lost;
};

struct CleanupStore {
  virtual ~CleanupStore() = default;

  virtual Awaitable<sql::Result<ServerFacts>> server() = 0;
  virtual Awaitable<sql::Result<MarkFacts>> mark() = 0;
  virtual Awaitable<sql::Result<BoundFacts>> bound() = 0;

  /// Commits the mark; where it stands then, which is `cut_off` or higher. nullopt: there is none.
  virtual Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) = 0;
  /// Deletes at most `at_most` rows, oldest first; how many.
  virtual Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime cut_off,
                                                                   int at_most) = 0;
  virtual Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int at_most) = 0;
};

}  // namespace reconciled
