// SPDX-License-Identifier: Apache-2.0
// Minor units: how many decimals a currency has, by ISO 4217 and by a provider that disagrees with
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.hpp"

namespace reconciled {

/// A provider's own decimals for a currency (upper case), where they differ from ISO 4217.
using ExponentOverrides = std::vector<std::pair<std::string, int>>;

inline constexpr int kMostExponentOverride = 8;
/// Of the decimals that a row itself gives: points and tokens have more than currencies.
inline constexpr int kMostRowExponent = 30;

/// ASCII only, whatever the locale: currency codes and the like.
std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);

/// Decimals of a currency's minor unit, case-folded: USD 2, JPY 0, KWD 3; of the overrides if it is
/// there, else of ISO 4217; nullopt for a code that neither knows.
std::optional<int> minor_exponent(std::string_view currency, const ExponentOverrides& overrides);

/// 25000 as 250.00 for an exponent of 2, and back; exact.
Decimal minor_to_major(const Decimal& minor, int exponent);
/// nullopt if the amount has more decimals than the currency: 5.50 JPY has no minor form.
std::optional<Decimal> major_to_minor(const Decimal& major, int exponent);

}  // namespace reconciled
