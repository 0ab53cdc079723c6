// SPDX-License-Identifier: Apache-2.0
// The profile's `credits.amount`.
#include <algorithm>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

void read_sign(ProfileFields& amount, AmountRule& rule) {
  const auto* node = amount.find("sign");
  if (node == nullptr) return;
  if (node->kind != yaml::Kind::mapping) {
    if (amount.word("sign", {"positive", "negative"}) == std::size_t{1})
      rule.sign = AmountRule::Sign::negative;
    return;
  }
  ProfileFields sign(*node, amount.path_of("sign"), amount.faults());
  rule.sign = AmountRule::Sign::by;
  rule.sign_at = sign.row_pointer("by");
  sign.required("credit");
  rule.credit_words = sign.words("credit");
  sign.finish();
}

ExponentOverrides read_exponents(ProfileFields& amount) {
  ExponentOverrides result;
  const auto* node = amount.find("exponents");
  if (node == nullptr) return result;
  ProfileFields fields(*node, amount.path_of("exponents"), amount.faults());
  for (const auto& entry : node->entries) {
    const auto exponent = fields.optional_number(entry.key, 0, kMostExponentOverride);
    const auto code = upper_case(entry.key);
    const bool twice = std::any_of(result.begin(), result.end(),
                                   [&](const auto& earlier) { return earlier.first == code; });
    if (twice) fields.fault(entry.value, entry.key, "names a currency a second time");
    if (exponent) result.emplace_back(code, static_cast<int>(*exponent));
  }
  return result;
}

}  // namespace

AmountRule read_amount_rule(ProfileFields& amount) {
  AmountRule rule;
  rule.at = amount.row_pointer("at");
  if (amount.word("type", {"integer", "decimal"}) == std::size_t{0})
    rule.type = AmountRule::Type::integer;
  const auto unit = amount.word("unit", {"minor", "major"});
  if (unit == std::size_t{0}) rule.unit = AmountRule::Unit::minor;
  read_sign(amount, rule);
  rule.exponents = read_exponents(amount);
  rule.exponent_at = amount.optional_row_pointer("exponent_at");
  if (rule.exponent_at && rule.unit == AmountRule::Unit::major)
    amount.fault(*amount.find("exponent_at"), "exponent_at", "needs unit: minor");
  return rule;
}

}  // namespace reconciled
