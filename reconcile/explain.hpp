// SPDX-License-Identifier: Apache-2.0
// An answer as a profile reads it, for the person who writes the profile: which rows there are,
// which are ours, and what of ours fits the operation. Pure. Nothing is decided here.
#pragma once

#include <string>

#include "reconcile/credits.hpp"
#include "reconcile/json.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

/// Beyond these, another's rows are only counted.
inline constexpr std::size_t kMostRowsExplained = 20;

/// Indented lines, a fact each. Of another's rows only what the profile's conditions say. `rules`
/// as fill() leaves them.
std::string explain_rows(const CreditRules& rules, const json::Node& root,
                         const Operation& operation);

}  // namespace reconciled
