// SPDX-License-Identifier: Apache-2.0
// When to look again, and when to try the database again. Pure: chance is handed in.
#pragma once

#include "base/ids.hpp"
#include "base/time.hpp"
#include "reconcile/finding.hpp"

namespace reconciled {

struct Backoff {
  Duration look_again_after = 30s;      ///< recovery.look_again_after: the first wait
  Duration look_again_at_most = 15min;  ///< recovery.look_again_at_most: the longest, jitter apart
};

/// The wait before the next look at an operation that stays Unknown: look_again_after doubled with
/// each takeover after the first (exponent = clamp(owner_version - 2, 0, 10), design §3), no longer
/// than look_again_at_most, and no shorter than what a throttling provider asked for within that
/// bound. Jitter lengthens it by up to a quarter and never shortens it. `chance` is uniform in 0
/// to 1.
Duration next_look(const Backoff& backoff, OwnerVersion version, const Finding& finding,
                   double chance) noexcept;

/// The wait before try number `failures` (1 is the first) at a database that does not answer: 100
/// ms doubled each time, at most 5 s, shortened by up to half by chance, so that many daemons do
/// not come back as one.
Duration next_try(int failures, double chance) noexcept;

}  // namespace reconciled
