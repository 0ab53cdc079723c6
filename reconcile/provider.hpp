// SPDX-License-Identifier: Apache-2.0
// The narrow door to the provider: everything recovery knows of it.
#pragma once

#include "base/awaitable.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

struct Provider {
  virtual ~Provider() = default;

  /// Asks for the operation's credit by its key. Never throws for what the provider or the network
  /// does: that is a finding. `as_of`: the database's time, from which the lookup's time window is
  /// computed. `until`: the local deadline; past it the lookup ends as NoAnswer (or Unreachable,
  /// Incomplete as the case may be). The references must outlive the coroutine.
  virtual Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                                  SteadyTime until) = 0;
};

}  // namespace reconciled
