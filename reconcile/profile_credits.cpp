// SPDX-License-Identifier: Apache-2.0
// The profile's `credits`: how to read the rows of an answer.
#include <algorithm>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

RowsPointer read_rows_pointer(ProfileFields& credits) {
  const auto* node = credits.required("at");
  const auto text =
      node == nullptr ? std::nullopt : scalar_text(*node, credits.path_of("at"), credits.faults());
  if (!text) return {};
  auto pointer = RowsPointer::parse(*text);
  if (!pointer)
    credits.fault(*node, "at",
                  yaml::quoted(*text) + " is no JSON pointer with at most one *, such as /data");
  return std::move(pointer).value_or(RowsPointer{});
}

Condition read_condition(ProfileFields& fields) {
  Condition condition;
  condition.at = fields.pointer("at");
  if (auto equals = fields.optional_text("equals")) condition.one_of = {std::move(*equals)};
  if (auto words = fields.words("in"); !words.empty()) condition.one_of = std::move(words);
  if (const auto absent = fields.optional_flag("absent")) {
    condition.absent = true;
    if (!*absent) fields.fault(*fields.find("absent"), "absent", "can only be true");
  }
  if (fields.has("equals") + fields.has("in") + fields.has("absent") != 1)
    fields.fault("needs one of equals, in and absent");
  else if (!condition.absent && condition.one_of.empty() && fields.has("in"))
    fields.fault(*fields.find("in"), "in", "lists nothing");
  fields.finish();
  return condition;
}

std::vector<Condition> read_where(ProfileFields& credits) {
  std::vector<Condition> result;
  const auto* node = credits.find("where");
  if (node == nullptr) return result;
  if (node->kind != yaml::Kind::sequence) {
    credits.fault(*node, "where", "must be a list of conditions");
    return result;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    ProfileFields fields(node->items[i], credits.path_of("where") + "[" + std::to_string(i) + "]",
                         credits.faults());
    result.push_back(read_condition(fields));
  }
  return result;
}

KeyRule read_key(ProfileFields& key) {
  KeyRule rule;
  if (key.has("pairs_at")) {
    if (key.has("at")) key.fault(*key.find("at"), "at", "and pairs_at exclude each other");
    rule.from = KeyRule::Pairs{key.pointer("pairs_at"), key.text("name"), key.text("value"),
                               key.text("equals")};
  } else {
    rule.from = key.pointer("at");
    key.find("pairs_at");
  }
  if (key.has("case")) rule.fold_case = key.word("case", {"exact", "fold"}) == std::size_t{1};
  rule.unique = key.optional_flag("unique").value_or(false);
  key.find("case");
  return rule;
}

bool names_account(const Template& text) {
  return text.uses(TemplateValue::account_id) || text.uses(TemplateValue::context);
}

std::optional<JsonPointer> read_account(ProfileFields& credits, const Lookup& lookup) {
  const auto* node = credits.required("account");
  if (node == nullptr) return std::nullopt;
  if (node->kind == yaml::Kind::scalar) {
    if (node->text != "not_in_answer") {
      credits.fault(*node, "account", "must be {at: POINTER} or not_in_answer");
      return std::nullopt;
    }
    const bool named =
        names_account(lookup.path) ||
        std::any_of(lookup.query.begin(), lookup.query.end(), [](const QueryParameter& parameter) {
          return names_account(parameter.name) || names_account(parameter.value);
        });
    if (!named)
      credits.fault(*node, "account",
                    "not_in_answer needs {account_id} or a context value in lookup's path or query;"
                    " else nothing ties the credit to the account");
    return std::nullopt;
  }
  ProfileFields account(*node, credits.path_of("account"), credits.faults());
  auto pointer = account.pointer("at");
  account.finish();
  return pointer;
}

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
  rule.sign_at = sign.pointer("by");
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

AmountRule read_amount_rule(ProfileFields& amount) {
  AmountRule rule;
  rule.at = amount.pointer("at");
  if (amount.word("type", {"integer", "decimal"}) == std::size_t{0})
    rule.type = AmountRule::Type::integer;
  const auto unit = amount.word("unit", {"minor", "major"});
  if (unit == std::size_t{0}) rule.unit = AmountRule::Unit::minor;
  read_sign(amount, rule);
  rule.exponents = read_exponents(amount);
  return rule;
}

CurrencyRule read_currency_rule(ProfileFields& currency) {
  if (currency.has("at") + currency.has("constant") + currency.has("from") != 1)
    currency.fault("needs one of at, constant and from");
  for (const auto* key : {"at", "constant", "from"}) currency.find(key);
  if (currency.has("at")) return currency.pointer("at");
  if (currency.has("constant")) return upper_case(currency.text("constant"));
  if (currency.has("from")) currency.word("from", {"operation"});
  return CurrencyFromOperation{};
}

void check_states(ProfileFields& state, const StateRule& rule) {
  std::vector<std::string> all;
  for (const auto* words : {&rule.settled, &rule.pending, &rule.failed, &rule.reversed})
    all.insert(all.end(), words->begin(), words->end());
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice != all.end()) state.fault("lists " + yaml::quoted(*twice) + " more than once");
  const auto* settled = state.required("settled");
  if (settled != nullptr && settled->kind == yaml::Kind::sequence && settled->items.empty())
    state.fault(*settled, "settled", "lists nothing: no credit could ever be proven");
}

StateRule read_state_rule(ProfileFields& state) {
  StateRule rule;
  rule.reversed_if_present = state.optional_pointer("reversed_if_present");
  if (state.has("always")) {
    state.word("always", {"settled"});
    if (state.has("at")) state.fault(*state.find("at"), "at", "and always exclude each other");
    return rule;
  }
  state.find("always");
  rule.at = state.pointer("at");
  rule.settled = state.words("settled");
  rule.pending = state.words("pending");
  rule.failed = state.words("failed");
  rule.reversed = state.words("reversed");
  check_states(state, rule);
  return rule;
}

/// Reads the mapping under `key` with `read`.
template <class Read>
auto read_rule(ProfileFields& credits, std::string_view key, Read read) -> decltype(read(credits)) {
  const auto* node = credits.required(key);
  if (node == nullptr) return {};
  ProfileFields fields(*node, credits.path_of(key), credits.faults());
  auto rule = read(fields);
  fields.finish();
  return rule;
}

}  // namespace

CreditRules read_credit_rules(ProfileFields& credits, const Lookup& lookup) {
  CreditRules rules;
  rules.at = read_rows_pointer(credits);
  rules.where = read_where(credits);
  rules.key = read_rule(credits, "key", read_key);
  rules.reference = read_rule(credits, "reference",
                              [](ProfileFields& reference) { return reference.pointer("at"); });
  rules.account = read_account(credits, lookup);
  rules.amount = read_rule(credits, "amount", read_amount_rule);
  rules.currency = read_rule(credits, "currency", read_currency_rule);
  rules.state = read_rule(credits, "state", read_state_rule);
  return rules;
}

}  // namespace reconciled
