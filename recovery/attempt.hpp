// SPDX-License-Identifier: Apache-2.0
// One attempt to create again, as decisions: when it is made, what it asks the database for, and
// when a request may be sent a second time within it (design §6). Pure.
#pragma once

#include "reconcile/create.hpp"
#include "recovery/attempt_store.hpp"

namespace reconciled {

/// What an attempt takes from settings and profile.
struct AttemptTerms {
  Guarantees guarantees;
  Duration create_timeout = 10s;  ///< provider.timeout, of each send
  Duration record_time = 5s;      ///< database.statement_timeout: left for the outcome
  Duration lease_margin = 5s;
  Duration provider_clock_margin = 5min;
};

/// Only after a complete answer without our key, inside the window, that no earlier look
/// contradicts: that is the verdict absent-so-far.
bool may_attempt(const Look& look, const Verdict& verdict) noexcept;

PermitRequest plan_permit(const Lease& lease, const Look& look, const AttemptTerms& terms);

/// When a create ends, whatever it waits for: there is still time to record it.
SteadyTime create_ends(const Lease& lease, const AttemptTerms& terms, SteadyTime now) noexcept;

/// What follows a send. Again only if nothing was transmitted, at most kResendsMost times; after a
/// 401 once with a refreshed credential. Everything else ends the attempt.
class AttemptSends {
 public:
  static constexpr int kResendsMost = 2;
  enum class Next { done, send_again, refresh_credential };

  Next after(CreateResult result) noexcept;

 private:
  int resends_ = 0;
  bool refreshed_ = false;
};

}  // namespace reconciled
