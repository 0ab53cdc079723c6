// SPDX-License-Identifier: Apache-2.0
// An operation as a person's verb finds it, and what stands against the verb. Pure, but for
// reading. The statements say the same again in their own WHERE (design G1).
#pragma once

#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "base/failures.hpp"
#include "daemon/verb_session.hpp"
#include "daemon/verbs.hpp"
#include "reconcile/verdict.hpp"
#include "recovery/lease.hpp"

namespace reconciled {

struct SeenOperation {
  Lease lease;  ///< the operation as a lookup needs it, its version, the database's time
  std::string status;
  bool owned = false;  ///< token set and lease running
  /// The last row of evidence that asked the provider; evidence_id 0 if there is none.
  std::int64_t evidence_id = 0;
  std::string finding, decision, reason;
};

/// Reads it. Failures: 1 for an id that is not there, else the database's.
Awaitable<Result<SeenOperation>> read_operation(sql::Database& database, OperationId id);

/// One line for a person: status, version, and the last look.
std::string describe(const SeenOperation& seen);

/// Why `recheck` may not act; nullopt: it may.
std::optional<std::string> against_recheck(const SeenOperation& seen);

/// Why `resolve` may not act, before the provider was asked. `settle_time` of the profile's
/// guarantees: before submit_by and that are over a credit may still come, so that nothing but
/// Succeeded can be said.
std::optional<std::string> against_resolve(const SeenOperation& seen, OwnerVersion expected,
                                           Resolution as, Duration settle_time);

/// Why what the provider says now stands against the resolution: it proves the credit that a person
/// would call failed.
std::optional<std::string> against_answer(const Verdict& verdict, Resolution as);

}  // namespace reconciled
