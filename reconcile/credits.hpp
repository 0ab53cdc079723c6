// SPDX-License-Identifier: Apache-2.0
// From the rows of one answer to the credits with our key (design §5).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reconcile/finding.hpp"
#include "reconcile/json.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

inline constexpr std::size_t kMostReferenceBytes = 255;

/// What the rows are read for.
struct Sought {
  std::string key;       ///< the operation's id, as it was sent to the provider
  std::string currency;  ///< the operation's
  std::string account_id = {};
};

/// A copy of the rules with the operation's values in `filled`, where any template stands in them;
/// else `rules` is what to read by, and `filled` stays empty.
std::optional<Unfillable> fill(const CreditRules& rules, TemplateValues& values,
                               std::optional<CreditRules>& filled);

struct RowsRead {
  std::size_t rows = 0;              ///< of any key, as the listing counts them
  const json::Node* last = nullptr;  ///< the last of them
  std::vector<Credit> credits;       ///< ours, in order; equal ones are all kept
  std::string why;                   ///< not empty: the answer is unintelligible
};

/// A row that shows no key, or another, harms nothing, however broken it is. A row of ours that
/// cannot be read in full makes the answer unintelligible, and so does a single object without a
/// key where one credit was to be: an error document would else pass for absence.
RowsRead read_rows(const CreditRules& rules, const json::Node& root, const Sought& sought);

}  // namespace reconciled
