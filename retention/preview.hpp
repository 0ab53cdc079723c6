// SPDX-License-Identifier: Apache-2.0
// What a sweep would do, for a dry run: it looks as a sweep does, counts, and writes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retention/sql_store.hpp"
#include "retention/terms.hpp"

namespace reconciled {

struct CleanupPreview {
  std::optional<DatabaseTime> cut_off;  ///< nullopt: the server could not be looked at
  std::optional<MarkFacts> mark;        ///< nullopt: it could not be looked at
  std::vector<Refusal> refusals;
  sql::Result<std::vector<DayCount>> consumptions = std::vector<DayCount>{};
  sql::Result<std::vector<DayCount>> idempotency_records = std::vector<DayCount>{};
};

/// Both tables are counted, also one that is switched off.
Awaitable<CleanupPreview> preview_cleanup(SqlCleanupStore& store, const CleanupTerms& terms);

}  // namespace reconciled
