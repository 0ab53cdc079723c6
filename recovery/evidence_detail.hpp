// SPDX-License-Identifier: Apache-2.0
// What evidence says of a look beyond its columns. Pure.
#pragma once

#include <string>
#include <vector>

#include "reconcile/finding.hpp"

namespace reconciled {

/// The credits that a look has seen; null for a finding that has none to see.
const std::vector<Credit>* credits_in(const Finding& finding) noexcept;

/// Evidence's detail: how many credits were seen, what they do not prove, and the finding's own
/// explanation. A JSON object without secrets or bodies; empty if there is nothing to say.
std::string evidence_detail(const Look& look);

}  // namespace reconciled
