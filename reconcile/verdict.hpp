// SPDX-License-Identifier: Apache-2.0
// What is recorded. There is no Failed: nothing in this program can infer it (design G3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"

namespace reconciled {

enum class Decision { succeeded, unknown, needs_reconciliation };
/// The status column's word: Succeeded, Unknown, NeedsReconciliation.
std::string_view word(Decision decision) noexcept;

enum class Reason {
  proven,
  duplicate,
  reversed,
  mismatch,
  unrecognised_state,
  pending,
  pending_too_long,
  failed_at_provider,
  contradiction,
  absent_so_far,
  absent_after_window,
  incomplete,
  no_answer,
  unintelligible,
  missing_context,
  throttled,
  refused,
  unreachable,
  // Of a create (design §6).
  create_refused,
  not_processed,
  foreign_credit
};
/// Whether this verdict turns creating again off, for every daemon (design §6):
/// sql/resubmission.sql does so in the transaction that records it.
constexpr bool trips_resubmission(Reason reason) noexcept {
  return reason == Reason::duplicate || reason == Reason::mismatch ||
         reason == Reason::foreign_credit;
}
/// The evidence's word: proven, duplicate, …, absent-so-far.
std::string_view word(Reason reason) noexcept;

struct Verdict {
  Decision decision = Decision::unknown;
  Reason reason = Reason::incomplete;
  std::string reference = {};  ///< of the credit that the verdict is about; may be empty
  std::optional<DatabaseTime> look_no_later_than = {};  ///< of an Unknown that has such a bound
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace reconciled
