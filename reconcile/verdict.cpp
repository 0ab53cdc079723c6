// SPDX-License-Identifier: Apache-2.0
#include "reconcile/verdict.hpp"

namespace reconciled {

std::string_view word(Decision decision) noexcept {
  switch (decision) {
    case Decision::succeeded:
      return "Succeeded";
    case Decision::unknown:
      return "Unknown";
    case Decision::needs_reconciliation:
      return "NeedsReconciliation";
  }
  return "";
}

std::string_view word(Reason reason) noexcept {
  switch (reason) {
    case Reason::proven:
      return "proven";
    case Reason::duplicate:
      return "duplicate";
    case Reason::reversed:
      return "reversed";
    case Reason::mismatch:
      return "mismatch";
    case Reason::unrecognised_state:
      return "unrecognised-state";
    case Reason::pending:
      return "pending";
    case Reason::pending_too_long:
      return "pending-too-long";
    case Reason::failed_at_provider:
      return "failed-at-provider";
    case Reason::contradiction:
      return "contradiction";
    case Reason::absent_so_far:
      return "absent-so-far";
    case Reason::absent_after_window:
      return "absent-after-window";
    case Reason::incomplete:
      return "incomplete";
    case Reason::no_answer:
      return "no-answer";
    case Reason::unintelligible:
      return "unintelligible";
    case Reason::missing_context:
      return "missing-context";
    case Reason::throttled:
      return "throttled";
    case Reason::refused:
      return "refused";
    case Reason::unreachable:
      return "unreachable";
    case Reason::create_refused:
      return "create-refused";
    case Reason::not_processed:
      return "not-processed";
    case Reason::foreign_credit:
      return "foreign-credit";
  }
  return "";
}

}  // namespace reconciled
