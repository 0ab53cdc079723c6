// SPDX-License-Identifier: Apache-2.0
#include "reconcile/credit_fields.hpp"

#include <algorithm>
#include <charconv>

#include "base/overloaded.hpp"

namespace reconciled {
namespace {

template <class T>
Reading<T> unreadable(const RowPointer& at, std::string_view what) {
  return {std::nullopt, std::string(what) + " at \"" + at.text() + "\""};
}

std::string_view describe(const json::Node* node) noexcept {
  return node == nullptr ? "nothing" : json::describe(node->kind);
}

bool is_present(const RowPointer& at, const Row& row) noexcept {
  const auto* node = at.resolve(row);
  return node != nullptr && !node->is(json::Kind::null);
}

std::optional<std::string_view> scalar_at(const RowPointer& at, const Row& row) noexcept {
  const auto* node = at.resolve(row);
  return node == nullptr ? std::nullopt : node->scalar();
}

bool contains(const std::vector<std::string>& words, std::string_view word) noexcept {
  return std::find(words.begin(), words.end(), word) != words.end();
}

KeyMatch compare_key(const KeyRule& rule, const json::Node* node, std::string_view sought) {
  if (node == nullptr || !node->is(json::Kind::string) || node->text.empty()) return KeyMatch::none;
  const bool equal =
      rule.fold_case ? lower_case(node->text) == lower_case(sought) : node->text == sought;
  return equal ? KeyMatch::ours : KeyMatch::other;
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

/// What follows the last slash of a URL; query, fragment and a slash at its end left out.
std::string_view tail_of(std::string_view url) noexcept {
  url = url.substr(0, url.find_first_of("?#"));
  if (url.ends_with('/')) url.remove_suffix(1);
  return url.substr(url.rfind('/') + 1);
}

Reading<std::string> read_identifier(const IdentifierRule& rule, const Row& row) {
  const auto* node = rule.at.resolve(row);
  if (node == nullptr || !(node->is(json::Kind::string) || node->is(json::Kind::number)))
    return unreadable<std::string>(rule.at,
                                   std::string(describe(node)) + " instead of an identifier");
  const auto text = rule.tail ? tail_of(node->text) : node->text;
  if (text.empty()) return unreadable<std::string>(rule.at, "an empty identifier");
  return {std::string(text), {}};
}

/// The amount as the row writes it: not scaled, its sign not yet turned.
Reading<Decimal> read_number(const AmountRule& rule, const Row& row) {
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
Reading<Decimal> turn_sign(const AmountRule& rule, const Row& row, const Decimal& number) {
  if (rule.sign == AmountRule::Sign::positive) return {number, {}};
  if (rule.sign == AmountRule::Sign::negative) return {number.negated(), {}};
  const auto word = scalar_at(rule.sign_at, row);
  if (!word) return unreadable<Decimal>(rule.sign_at, "no word for the amount's direction");
  return {contains(rule.credit_words, *word) ? number : number.negated(), {}};
}

Reading<int> read_exponent(const AmountRule& rule, const Row& row, std::string_view currency) {
  if (!rule.exponent_at) {
    const auto known = minor_exponent(currency, rule.exponents);
    if (known) return {known, {}};
    return {std::nullopt, "a currency whose minor unit is not known"};
  }
  const auto text = scalar_at(*rule.exponent_at, row).value_or("");
  int exponent = -1;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, exponent);
  if (read.ec != std::errc{} || read.ptr != end || exponent < 0 || exponent > kMostRowExponent)
    return unreadable<int>(*rule.exponent_at, "no number of decimals from 0 to 30");
  return {exponent, {}};
}

/// Moves what was read to its place; the first reason why not stays.
template <class T, class Target>
void take(Reading<T> reading, Target& target, std::string& why) {
  if (reading.value) target = std::move(*reading.value);
  if (why.empty()) why = std::move(reading.why);
}

}  // namespace

bool holds(const Condition& condition, const Row& row) noexcept {
  if (condition.absent) return !is_present(condition.at, row);
  const auto text = scalar_at(condition.at, row);
  return text && contains(condition.one_of, *text);
}

KeyMatch match_key(const KeyRule& rule, const Row& row, std::string_view sought) {
  if (const auto* at = std::get_if<RowPointer>(&rule.from))
    return compare_key(rule, at->resolve(row), sought);
  const auto& pairs = std::get<KeyRule::Pairs>(rule.from);
  const auto* list = pairs.at.resolve(row);
  auto found = KeyMatch::none;
  if (list == nullptr || !list->is(json::Kind::array)) return found;
  for (const auto& pair : *list) {
    const auto* name = pair.find(pairs.name_member);
    if (name == nullptr || !name->is(json::Kind::string) || name->text != pairs.name) continue;
    found = std::max(found, compare_key(rule, pair.find(pairs.value_member), sought));
  }
  return found;
}

Reading<std::string> read_reference(const IdentifierRule& rule, const Row& row) {
  auto reference = read_identifier(rule, row);
  if (!reference.value) return reference;
  if (reference.value->size() > kMostReferenceBytes)
    return unreadable<std::string>(rule.at, "a reference of more than 255 bytes");
  if (has_control_character(*reference.value))
    return unreadable<std::string>(rule.at, "a control character in the reference");
  return reference;
}

Reading<std::string> read_account(const AccountRule& rule, const Row& row, const Sought& sought) {
  auto shown = read_identifier(rule.shown, row);
  if (!shown.value || !rule.equals) return shown;
  if (*shown.value == rule.expected) return {sought.account_id, {}};
  // Must never look like the account_id, which another account's name at the provider may equal.
  return {*shown.value + " instead of " + rule.expected, {}};
}

Reading<std::string> read_currency(const RowPointer& at, const Row& row) {
  const auto* node = at.resolve(row);
  if (node == nullptr || !node->is(json::Kind::string) || node->text.empty())
    return unreadable<std::string>(at, std::string(describe(node)) + " instead of a currency");
  return {upper_case(node->text), {}};
}

Reading<Decimal> read_amount(const AmountRule& rule, const Row& row, std::string_view currency) {
  auto number = read_number(rule, row);
  if (!number.value) return number;
  auto amount = turn_sign(rule, row, *number.value);
  if (!amount.value || rule.unit == AmountRule::Unit::major) return amount;
  const auto exponent = read_exponent(rule, row, currency);
  if (!exponent.value) return {std::nullopt, exponent.why};
  return {minor_to_major(*amount.value, *exponent.value), {}};
}

Reading<CreditState> read_state(const StateRule& rule, const Row& row) {
  const bool reversed =
      (rule.reversed_if_present && is_present(*rule.reversed_if_present, row)) ||
      std::any_of(rule.reversed_if.begin(), rule.reversed_if.end(),
                  [&](const Condition& condition) { return holds(condition, row); });
  if (reversed) return {CreditState::reversed, {}};
  if (rule.settled_if_present)
    return {is_present(*rule.settled_if_present, row) ? CreditState::settled : CreditState::pending,
            {}};
  if (!rule.at) return {CreditState::settled, {}};
  const auto word = scalar_at(*rule.at, row);
  if (!word) return unreadable<CreditState>(*rule.at, "no word for the credit's state");
  if (contains(rule.settled, *word)) return {CreditState::settled, {}};
  if (contains(rule.pending, *word)) return {CreditState::pending, {}};
  if (contains(rule.failed, *word)) return {CreditState::failed, {}};
  if (contains(rule.reversed, *word)) return {CreditState::reversed, {}};
  return {CreditState::unrecognised, {}};
}

Credit read_credit(const CreditRules& rules, const Row& row, const Sought& sought,
                   std::string& why) {
  Credit credit;
  take(read_reference(rules.reference, row), credit.reference, why);
  take(read_state(rules.state, row), credit.state, why);
  // What never took effect is not compared, and its amount is often missing.
  std::string ignored;
  auto& why_not = credit.state == CreditState::failed ? ignored : why;
  if (rules.account) take(read_account(*rules.account, row, sought), credit.account, why_not);
  std::visit(overloaded{[&](const RowPointer& at) {
                          take(read_currency(at, row), credit.currency, why_not);
                        },
                        [&](const std::string& constant) { credit.currency = constant; },
                        [](const CurrencyFromOperation&) {}},
             rules.currency);
  take(read_amount(rules.amount, row, credit.currency.value_or(sought.currency)), credit.amount,
       why_not);
  return credit;
}

}  // namespace reconciled
