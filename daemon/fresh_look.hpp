// SPDX-License-Identifier: Apache-2.0
// The look that `resolve` makes before a person decides: shown, and recorded beside the last one.
#pragma once

#include <optional>
#include <string>

#include "daemon/configuration.hpp"
#include "daemon/seen_operation.hpp"
#include "reconcile/provider.hpp"
#include "sql/parameters.hpp"

namespace reconciled {

struct FreshLook {
  Look look;
  Verdict verdict;  ///< what a pass would record
};

/// Asks within provider.timeout. `provider` and `seen` must outlive the coroutine.
Awaitable<FreshLook> ask_now(Provider& provider, const SeenOperation& seen,
                             const Configuration& configuration);

/// Whether the provider said anything about the operation: not if it could not be reached, stayed
/// silent, refused or asked to wait.
bool answered(const FreshLook& fresh);

/// One line for a person: finding, credits, and what a pass would record.
std::string describe(const FreshLook& fresh);

/// The look as resolve.sql wants it: finding, http_status, pages, duration; nulls for none.
void add_look(sql::Parameters& list, const std::optional<FreshLook>& fresh);

/// Evidence's detail: what this look would have come to, and which look was the one before.
std::string both_looks(const SeenOperation& seen, const std::optional<FreshLook>& fresh);

}  // namespace reconciled
