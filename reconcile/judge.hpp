// SPDX-License-Identifier: Apache-2.0
// Judging: a pure function of what is known. No socket, clock or SQL (design §5).
#pragma once

#include "reconcile/finding.hpp"
#include "reconcile/guarantees.hpp"
#include "reconcile/operation.hpp"
#include "reconcile/verdict.hpp"

namespace reconciled {

/// Earlier looks at the same operation, from its evidence.
struct EarlierLooks {
  bool credit_seen = false;  ///< any earlier look, complete or not, showed a credit with our key
  int since_recheck = 0;     ///< looks since the last recheck by a person, this one not counted
};

/// How the provider does for everybody, which a single operation's finding does not show.
enum class ProviderCondition {
  normal,
  answers_others,  ///< refused or throttled here while others are answered: counts as no answer for
                   ///< giving up
  down             ///< its breaker is open: nothing gives up because of it
};

struct Patience {
  Duration give_up_after{};  ///< recovery.give_up_after, counted from submit_by + settle time
};

inline constexpr int kLooksBeforeGivingUp = 3;

/// The table of design §5, first row that fits. `as_of` is the database's time, not later than the
/// moment the lookup was sent: an absence seen by a lookup that began inside the window is not
/// final.
Verdict judge(const Operation& operation, const Finding& finding, const Guarantees& promised,
              const EarlierLooks& earlier, const Patience& patience, ProviderCondition provider,
              DatabaseTime as_of);

}  // namespace reconciled
