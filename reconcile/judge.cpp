// SPDX-License-Identifier: Apache-2.0
#include "reconcile/judge.hpp"

#include <algorithm>
#include <ranges>

#include "base/overloaded.hpp"

namespace reconciled {
namespace {

char folded(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

bool equal_folded(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, folded, folded);
}

/// What the answer cannot show is not compared: it is the evidence's `unproven` (design G4).
bool matches(const Operation& operation, const Credit& credit) {
  return operation.amount == credit.amount &&
         (!credit.account || *credit.account == operation.account_id) &&
         (!credit.currency || equal_folded(*credit.currency, operation.currency));
}

/// One credit as the provider holds it, out of all the rows that show it.
struct Seen {
  std::string_view reference;
  CreditState state;
  bool matches;
};

/// Two rows of one credit in different states: it moved between two pages. Both may be stale, so
/// it counts as still moving, unless one of them calls for a person anyway.
CreditState merged(CreditState a, CreditState b) noexcept {
  if (a == b) return a;
  for (const auto grave : {CreditState::reversed, CreditState::unrecognised}) {
    if (a == grave || b == grave) return grave;
  }
  return CreditState::pending;
}

/// Credits with equal reference count once; one without a reference cannot be told from others.
std::vector<Seen> distinct(const Operation& operation, const std::vector<Credit>& credits) {
  std::vector<Seen> seen;
  for (const auto& credit : credits) {
    const bool fits = matches(operation, credit);
    const auto known = std::ranges::find(seen, credit.reference, &Seen::reference);
    if (known == seen.end() || credit.reference.empty()) {
      seen.push_back({credit.reference, credit.state, fits});
    } else {
      known->state = merged(known->state, credit.state);
      known->matches = known->matches && fits;
    }
  }
  return seen;
}

bool live(const Seen& credit) noexcept {
  return credit.state != CreditState::failed && credit.state != CreditState::reversed;
}

Verdict for_a_person(Reason reason, std::string_view reference = {}) {
  return {Decision::needs_reconciliation, reason, std::string{reference}};
}

Verdict look_again(Reason reason, std::string_view reference = {}) {
  return {Decision::unknown, reason, std::string{reference}};
}

/// What all rows of the table lean on.
struct Judge {
  const Operation& operation;
  const EarlierLooks& earlier;
  ProviderCondition provider = ProviderCondition::normal;
  DatabaseTime as_of;
  DatabaseTime settled_at;  ///< end of submission window and settle time
  DatabaseTime patient_until;

  bool given_up() const noexcept {
    return as_of >= patient_until && earlier.since_recheck + 1 >= kLooksBeforeGivingUp;
  }

  /// Rows 1 to 7 of the table.
  Verdict found(const std::vector<Credit>& credits) const {
    const auto seen = distinct(operation, credits);
    if (seen.empty()) return absent();
    const auto live_one = std::ranges::find_if(seen, live);
    if (std::ranges::count_if(seen, live) > 1) {
      return for_a_person(Reason::duplicate, live_one->reference);
    }
    const auto reversed = std::ranges::find(seen, CreditState::reversed, &Seen::state);
    if (reversed != seen.end()) return for_a_person(Reason::reversed, reversed->reference);
    if (live_one == seen.end()) {
      return for_a_person(Reason::failed_at_provider, seen.front().reference);
    }
    return one_live(*live_one);
  }

  Verdict one_live(const Seen& credit) const {
    if (!credit.matches) return for_a_person(Reason::mismatch, credit.reference);
    if (credit.state == CreditState::unrecognised) {
      return for_a_person(Reason::unrecognised_state, credit.reference);
    }
    if (credit.state == CreditState::pending) {
      return given_up() ? for_a_person(Reason::pending_too_long, credit.reference)
                        : look_again(Reason::pending, credit.reference);
    }
    return {Decision::succeeded, Reason::proven, std::string{credit.reference}};
  }

  Verdict absent() const {
    if (earlier.credit_seen) return for_a_person(Reason::contradiction);
    if (as_of >= settled_at) return for_a_person(Reason::absent_after_window);
    auto verdict = look_again(Reason::absent_so_far);
    verdict.look_no_later_than = settled_at + 1s;
    return verdict;
  }

  /// More than one live credit is more than one, whatever the missing pages hold; nothing else can
  /// be said of a part.
  Verdict incomplete(const std::vector<Credit>& credits) const {
    const auto seen = distinct(operation, credits);
    if (std::ranges::count_if(seen, live) > 1) {
      return for_a_person(Reason::duplicate, std::ranges::find_if(seen, live)->reference);
    }
    return fault_of_both(Reason::incomplete);
  }

  /// Says something about this operation however the provider does for others.
  Verdict fault_here(Reason reason) const {
    return given_up() ? for_a_person(reason) : look_again(reason);
  }

  /// May be the whole provider's: while that is down, nothing gives up because of it.
  Verdict fault_of_both(Reason reason) const {
    return provider == ProviderCondition::down ? look_again(reason) : fault_here(reason);
  }

  /// Turned away. The operation's own trouble only where others are answered meanwhile.
  Verdict turned_away(Reason reason) const {
    const bool gives_up = provider == ProviderCondition::answers_others && given_up();
    return gives_up ? for_a_person(Reason::no_answer) : look_again(reason);
  }
};

}  // namespace

Verdict judge(const Operation& operation, const Finding& finding, const Guarantees& promised,
              const EarlierLooks& earlier, const Patience& patience, ProviderCondition provider,
              DatabaseTime as_of) {
  const auto settled_at = operation.submit_by + promised.settle_time();
  const Judge table{operation, earlier,    provider,
                    as_of,     settled_at, settled_at + patience.give_up_after};
  return std::visit(
      overloaded{[&](const Found& it) { return table.found(it.credits); },
                 [&](const Absent&) { return table.absent(); },
                 [&](const Incomplete& it) { return table.incomplete(it.credits); },
                 [&](const Throttled&) { return table.turned_away(Reason::throttled); },
                 [&](const Refused&) { return table.turned_away(Reason::refused); },
                 [&](const Unreachable&) { return look_again(Reason::unreachable); },
                 [&](const NoAnswer&) { return table.fault_of_both(Reason::no_answer); },
                 [&](const Unintelligible&) { return table.fault_here(Reason::unintelligible); },
                 [&](const MissingContext&) { return table.fault_here(Reason::missing_context); }},
      finding);
}

}  // namespace reconciled
