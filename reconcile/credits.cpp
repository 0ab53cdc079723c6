// SPDX-License-Identifier: Apache-2.0
#include "reconcile/credits.hpp"

#include <algorithm>

#include "base/overloaded.hpp"

namespace reconciled {
namespace {

/// A value of a row, or why there is none; `why` names the place, not what stands there.
template <class T>
struct Reading {
  std::optional<T> value;
  std::string why;
};

template <class T>
Reading<T> unreadable(const JsonPointer& at, std::string_view what) {
  return {std::nullopt, std::string(what) + " at \"" + at.text() + "\""};
}

std::string_view describe(const json::Node* node) noexcept {
  return node == nullptr ? "nothing" : json::describe(node->kind);
}

bool is_present(const JsonPointer& at, const json::Node& row) noexcept {
  const auto* node = at.resolve(row);
  return node != nullptr && !node->is(json::Kind::null);
}

std::optional<std::string_view> scalar_at(const JsonPointer& at, const json::Node& row) noexcept {
  const auto* node = at.resolve(row);
  return node == nullptr ? std::nullopt : node->scalar();
}

bool contains(const std::vector<std::string>& words, std::string_view word) noexcept {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool holds(const Condition& condition, const json::Node& row) noexcept {
  if (condition.absent) return !is_present(condition.at, row);
  const auto text = scalar_at(condition.at, row);
  return text && contains(condition.one_of, *text);
}

enum class Key { none, other, ours };

Key compare_key(const KeyRule& rule, const json::Node* node, std::string_view sought) {
  if (node == nullptr || !node->is(json::Kind::string) || node->text.empty()) return Key::none;
  const bool equal =
      rule.fold_case ? lower_case(node->text) == lower_case(sought) : node->text == sought;
  return equal ? Key::ours : Key::other;
}

Key key_of(const KeyRule& rule, const json::Node& row, std::string_view sought) {
  if (const auto* at = std::get_if<JsonPointer>(&rule.from))
    return compare_key(rule, at->resolve(row), sought);
  const auto& pairs = std::get<KeyRule::Pairs>(rule.from);
  const auto* list = pairs.at.resolve(row);
  auto found = Key::none;
  if (list == nullptr || !list->is(json::Kind::array)) return found;
  for (const auto& pair : *list) {
    const auto* name = pair.find(pairs.name_member);
    if (name == nullptr || !name->is(json::Kind::string) || name->text != pairs.name) continue;
    found = std::max(found, compare_key(rule, pair.find(pairs.value_member), sought));
  }
  return found;
}

/// C0, DEL and C1, the last in its UTF-8 form.
bool has_control_character(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7f) return true;
    if (byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0)
      return true;
  }
  return false;
}

/// An identifier: a string, or a number by its text.
Reading<std::string> read_identifier(const JsonPointer& at, const json::Node& row) {
  const auto* node = at.resolve(row);
  if (node == nullptr || !(node->is(json::Kind::string) || node->is(json::Kind::number)))
    return unreadable<std::string>(at, std::string(describe(node)) + " instead of an identifier");
  if (node->text.empty()) return unreadable<std::string>(at, "an empty identifier");
  return {std::string(node->text), {}};
}

Reading<std::string> read_reference(const JsonPointer& at, const json::Node& row) {
  auto reference = read_identifier(at, row);
  if (!reference.value) return reference;
  if (reference.value->size() > kMostReferenceBytes)
    return unreadable<std::string>(at, "a reference of more than 255 bytes");
  if (has_control_character(*reference.value))
    return unreadable<std::string>(at, "a control character in the reference");
  return reference;
}

Reading<std::string> read_currency(const JsonPointer& at, const json::Node& row) {
  const auto* node = at.resolve(row);
  if (node == nullptr || !node->is(json::Kind::string) || node->text.empty())
    return unreadable<std::string>(at, std::string(describe(node)) + " instead of a currency");
  return {upper_case(node->text), {}};
}

/// The amount as the row writes it: not scaled, its sign not yet turned.
Reading<Decimal> read_number(const AmountRule& rule, const json::Node& row) {
  const auto* node = rule.at.resolve(row);
  if (node == nullptr || !(node->is(json::Kind::string) || node->is(json::Kind::number)))
    return unreadable<Decimal>(rule.at, std::string(describe(node)) + " instead of an amount");
  const auto number = Decimal::parse(node->text);
  if (!number) return unreadable<Decimal>(rule.at, "an amount that is no plain decimal number");
  if (rule.type == AmountRule::Type::integer && !number->is_integer())
    return unreadable<Decimal>(rule.at, "a fraction where the profile says integer");
  return {number, {}};
}

/// A positive result is a credit.
Reading<Decimal> turn_sign(const AmountRule& rule, const json::Node& row, const Decimal& number) {
  if (rule.sign == AmountRule::Sign::positive) return {number, {}};
  if (rule.sign == AmountRule::Sign::negative) return {number.negated(), {}};
  const auto word = scalar_at(rule.sign_at, row);
  if (!word) return unreadable<Decimal>(rule.sign_at, "no word for the amount's direction");
  return {contains(rule.credit_words, *word) ? number : number.negated(), {}};
}

Reading<Decimal> read_amount(const AmountRule& rule, const json::Node& row,
                             std::string_view currency) {
  auto number = read_number(rule, row);
  if (!number.value) return number;
  auto amount = turn_sign(rule, row, *number.value);
  if (!amount.value || rule.unit == AmountRule::Unit::major) return amount;
  const auto exponent = minor_exponent(currency, rule.exponents);
  if (!exponent) return {std::nullopt, "a currency whose minor unit is not known"};
  return {minor_to_major(*amount.value, *exponent), {}};
}

Reading<CreditState> read_state(const StateRule& rule, const json::Node& row) {
  if (rule.reversed_if_present && is_present(*rule.reversed_if_present, row))
    return {CreditState::reversed, {}};
  if (!rule.at) return {CreditState::settled, {}};
  const auto word = scalar_at(*rule.at, row);
  if (!word) return unreadable<CreditState>(*rule.at, "no word for the credit's state");
  if (contains(rule.settled, *word)) return {CreditState::settled, {}};
  if (contains(rule.pending, *word)) return {CreditState::pending, {}};
  if (contains(rule.failed, *word)) return {CreditState::failed, {}};
  if (contains(rule.reversed, *word)) return {CreditState::reversed, {}};
  return {CreditState::unrecognised, {}};
}

/// Moves what was read to its place; the first reason why not stays.
template <class T, class Target>
void take(Reading<T> reading, Target& target, std::string& why) {
  if (reading.value) target = std::move(*reading.value);
  if (why.empty()) why = std::move(reading.why);
}

/// `why` is set if the row cannot be read in full.
Credit read_credit(const CreditRules& rules, const json::Node& row, const Sought& sought,
                   std::string& why) {
  Credit credit;
  take(read_reference(rules.reference, row), credit.reference, why);
  if (rules.account) take(read_identifier(*rules.account, row), credit.account, why);
  std::visit(
      overloaded{[&](const JsonPointer& at) { take(read_currency(at, row), credit.currency, why); },
                 [&](const std::string& constant) { credit.currency = constant; },
                 [](const CurrencyFromOperation&) {}},
      rules.currency);
  take(read_amount(rules.amount, row, credit.currency.value_or(sought.currency)), credit.amount,
       why);
  take(read_state(rules.state, row), credit.state, why);
  return credit;
}

}  // namespace

RowsRead read_rows(const CreditRules& rules, const json::Node& root, const Sought& sought) {
  RowsRead read;
  auto found = rules.at.resolve(root);
  read.why = std::move(found.why);
  if (!read.why.empty()) return read;
  read.rows = found.rows.size();
  if (!found.rows.empty()) read.last = found.rows.back();
  for (const auto* row : found.rows) {
    const auto key = key_of(rules.key, *row, sought.key);
    if (found.single && key == Key::none) read.why = "one object that shows no key";
    const bool ours = key == Key::ours && std::all_of(rules.where.begin(), rules.where.end(),
                                                      [&](const Condition& condition) {
                                                        return holds(condition, *row);
                                                      });
    if (!ours) continue;
    std::string why;
    auto credit = read_credit(rules, *row, sought, why);
    if (why.empty())
      read.credits.push_back(std::move(credit));
    else if (read.why.empty())
      read.why = "a credit with our key has " + why;
  }
  return read;
}

}  // namespace reconciled
