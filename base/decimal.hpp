// SPDX-License-Identifier: Apache-2.0
// Exact decimal numbers for money. There is no arithmetic beyond what comparing needs: a sign, and
// powers of ten.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reconciled {

/// A finite decimal, kept normalised (no leading or trailing zeros), so that equal numbers are
/// equal member by member: 250.00, 2.5e2 and 250 are one value. Zero has no sign.
class Decimal {
 public:
  /// Reads JSON's number grammar, which is also how PostgreSQL prints a finite numeric:
  /// -?digits[.digits][e[+-]digits]. nullopt for anything else (NaN, Infinity, separators, blanks,
  /// a plus sign, ".5", "5."), for more than 400 digits, and for an exponent beyond ±400 (design
  /// §5).
  static std::optional<Decimal> parse(std::string_view text);

  bool is_zero() const noexcept { return digits_.empty(); }
  bool is_negative() const noexcept { return negative_; }
  bool is_integer() const noexcept { return exponent_ >= 0; }

  Decimal negated() const;
  /// This number times ten to the `power` (|power| ≤ 1000). Used to move between minor and major
  /// units.
  Decimal scaled(int power) const;

  /// Plain notation without an exponent: 250, 0.05, -1234.5; with at least so many decimals, and
  /// never fewer than the value has: 250.10 for two.
  std::string to_string(int decimals_least = 0) const;

  friend bool operator==(const Decimal&, const Decimal&) = default;

 private:
  bool negative_ = false;
  std::string digits_;  // most significant first; empty is zero
  int exponent_ = 0;    // value = digits × 10^exponent
};

}  // namespace reconciled
