// SPDX-License-Identifier: Apache-2.0
// What a profile's rules read from one row of an answer, value by value.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "reconcile/credits.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

/// A value of a row, or why there is none; `why` names the place, not what stands there.
template <class T>
struct Reading {
  std::optional<T> value;
  std::string why;
};

bool holds(const Condition& condition, const Row& row) noexcept;

/// What a row says of whose credit it is.
enum class KeyMatch { none, other, ours };
KeyMatch match_key(const KeyRule& rule, const Row& row, std::string_view sought);

/// An identifier is a string, or a number by its text.
Reading<std::string> read_reference(const IdentifierRule& rule, const Row& row);
/// The operation's account_id where the row shows what is expected of it.
Reading<std::string> read_account(const AccountRule& rule, const Row& row, const Sought& sought);
/// In upper case.
Reading<std::string> read_currency(const RowPointer& at, const Row& row);
/// In major units, positive for a credit. `currency` gives the decimals of a minor unit.
Reading<Decimal> read_amount(const AmountRule& rule, const Row& row, std::string_view currency);
Reading<CreditState> read_state(const StateRule& rule, const Row& row);

/// All of them; `why` is set if the row cannot be read in full.
Credit read_credit(const CreditRules& rules, const Row& row, const Sought& sought,
                   std::string& why);

}  // namespace reconciled
