// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.hpp"

#include <algorithm>
#include <charconv>

namespace reconciled {
namespace {

constexpr std::size_t kMostDigits = 400;
constexpr int kMostExponent = 400;

/// Takes the leading digits off `rest`.
std::string_view take_digits(std::string_view& rest) {
  const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto digits = rest.substr(0, end);
  rest.remove_prefix(end);
  return digits;
}

bool take(std::string_view& rest, char wanted) {
  if (rest.empty() || rest.front() != wanted) return false;
  rest.remove_prefix(1);
  return true;
}

/// The exponent's digits, sign included; nullopt if it is malformed or beyond the limit.
std::optional<int> take_exponent(std::string_view& rest) {
  const bool negative = take(rest, '-');
  if (!negative) take(rest, '+');
  auto digits = take_digits(rest);
  if (digits.empty()) return std::nullopt;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty()) return 0;
  int value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{} || value > kMostExponent) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal number;
  auto rest = text;
  number.negative_ = take(rest, '-');
  const auto whole = take_digits(rest);
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
  std::string_view fraction;
  if (take(rest, '.')) {
    fraction = take_digits(rest);
    if (fraction.empty()) return std::nullopt;
  }
  if (take(rest, 'e') || take(rest, 'E')) {
    const auto exponent = take_exponent(rest);
    if (!exponent) return std::nullopt;
    number.exponent_ = *exponent;
  }
  if (!rest.empty() || whole.size() + fraction.size() > kMostDigits) return std::nullopt;
  number.exponent_ -= static_cast<int>(fraction.size());
  number.digits_.append(whole).append(fraction);
  number.digits_.erase(0, number.digits_.find_first_not_of('0'));  // npos erases all: zero
  const auto last = number.digits_.find_last_not_of('0');
  if (last == std::string::npos) return Decimal{};
  number.exponent_ += static_cast<int>(number.digits_.size() - last - 1);
  number.digits_.resize(last + 1);
  return number;
}

Decimal Decimal::negated() const {
  Decimal result = *this;
  result.negative_ = !is_zero() && !negative_;
  return result;
}

Decimal Decimal::scaled(int power) const {
  Decimal result = *this;
  if (!is_zero()) result.exponent_ += power;
  return result;
}

std::string Decimal::to_string(int decimals_least) const {
  const int decimals = std::max({-exponent_, decimals_least, 0});
  const int zeros = decimals + exponent_;
  std::string text = digits_;
  if (!is_zero()) text.append(static_cast<std::size_t>(zeros), '0');
  const auto places = static_cast<std::size_t>(decimals);
  if (text.size() <= places) text.insert(0, places - text.size() + 1, '0');
  if (places > 0) text.insert(text.size() - places, 1, '.');
  return negative_ ? "-" + text : text;
}

}  // namespace reconciled
