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
                  yaml::quoted(*text) + " is no JSON pointer with at most two *, such as /data");
  return std::move(pointer).value_or(RowsPointer{});
}

KeyRule read_key(ProfileFields& key) {
  KeyRule rule;
  if (key.has("pairs_at")) {
    if (key.has("at")) key.fault(*key.find("at"), "at", "and pairs_at exclude each other");
    rule.from = KeyRule::Pairs{key.row_pointer("pairs_at"), key.text("name"), key.text("value"),
                               key.text("equals")};
  } else {
    rule.from = key.row_pointer("at");
    key.find("pairs_at");
  }
  if (key.has("case")) rule.fold_case = key.word("case", {"exact", "fold"}) == std::size_t{1};
  rule.unique = key.optional_flag("unique").value_or(false);
  key.find("case");
  return rule;
}

bool names_account(const Lookup& lookup) {
  for (const auto value : {TemplateValue::account_id, TemplateValue::context})
    if (lookup.path.uses(value) || (lookup.body && lookup.body->uses(value)) ||
        std::any_of(lookup.query.begin(), lookup.query.end(), [&](const QueryParameter& parameter) {
          return parameter.name.uses(value) || parameter.value.uses(value);
        }))
      return true;
  return false;
}

IdentifierRule read_identifier_rule(ProfileFields& identifier) {
  return {identifier.row_pointer("at"), identifier.optional_flag("tail").value_or(false)};
}

std::optional<AccountRule> read_account(ProfileFields& credits, const Lookup& lookup) {
  const auto* node = credits.required("account");
  if (node == nullptr) return std::nullopt;
  if (node->kind == yaml::Kind::scalar) {
    if (node->text != "not_in_answer")
      credits.fault(*node, "account", "must be {at: POINTER} or not_in_answer");
    else if (!names_account(lookup))
      credits.fault(*node, "account",
                    "not_in_answer needs {account_id} or a context value in lookup's path, query or"
                    " body; else nothing ties the credit to the account");
    return std::nullopt;
  }
  ProfileFields account(*node, credits.path_of("account"), credits.faults());
  AccountRule rule;
  rule.shown = read_identifier_rule(account);
  if (const auto equals = account.optional_text("equals")) {
    const auto* text = account.find("equals");
    rule.equals = read_template(*equals, text->at, account.path_of("equals"), account.faults());
    if (rule.equals->is_literal() && !rule.equals->parts().empty())
      account.fault(*text, "equals",
                    "must hold a value of the operation, such as {context.wallet}");
  }
  account.finish();
  return rule;
}

CurrencyRule read_currency_rule(ProfileFields& currency) {
  if (currency.has("at") + currency.has("constant") + currency.has("from") != 1)
    currency.fault("needs one of at, constant and from");
  for (const auto* key : {"at", "constant", "from"}) currency.find(key);
  if (currency.has("at")) return currency.row_pointer("at");
  if (currency.has("constant")) return upper_case(currency.text("constant"));
  if (currency.has("from")) currency.word("from", {"operation"});
  return CurrencyFromOperation{};
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
  rules.empty_if = read_conditions(credits, "empty_if");
  rules.where = read_conditions(credits, "where");
  rules.key = read_rule(credits, "key", read_key);
  rules.reference = read_rule(credits, "reference", read_identifier_rule);
  rules.account = read_account(credits, lookup);
  rules.amount = read_rule(credits, "amount", read_amount_rule);
  rules.currency = read_rule(credits, "currency", read_currency_rule);
  rules.state = read_rule(credits, "state", read_state_rule);
  return rules;
}

}  // namespace reconciled
