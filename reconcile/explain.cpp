// SPDX-License-Identifier: Apache-2.0
#include "reconcile/explain.hpp"

#include <fmt/format.h>

#include "base/yaml.hpp"
#include "reconcile/credit_fields.hpp"

namespace reconciled {
namespace {

std::string line(std::string_view name, std::string_view what) {
  return fmt::format("    {:<10} {}\n", name, what);
}

std::string place_of(const KeyRule& rule) {
  if (const auto* at = std::get_if<RowPointer>(&rule.from)) return at->text();
  const auto& pairs = std::get<KeyRule::Pairs>(rule.from);
  return fmt::format("{} in {}", pairs.name, pairs.at.text());
}

std::string key_line(const KeyRule& rule, KeyMatch match) {
  constexpr const char* kWhat[] = {"none", "another's", "ours"};
  return line("key",
              fmt::format("{} at \"{}\"", kWhat[static_cast<std::size_t>(match)], place_of(rule)));
}

std::string condition_line(const Condition& condition, const Row& row) {
  std::string wanted = condition.absent ? "absent" : "";
  for (const auto& word : condition.one_of)
    wanted += (wanted.empty() ? "" : " or ") + yaml::quoted(word);
  return line("where", fmt::format("\"{}\" {}: {}", condition.at.text(), wanted,
                                   holds(condition, row) ? "yes" : "no"));
}

/// One value of our row beside what the operation says.
std::string value_line(std::string_view name, const Reading<std::string>& shown, bool fits,
                       std::string_view wanted) {
  if (!shown.value) return line(name, "unreadable: " + shown.why);
  const auto text = yaml::quoted(*shown.value);
  if (fits) return line(name, text + " fits");
  return line(name, fmt::format("{} does not fit {}", text, yaml::quoted(wanted)));
}

std::string account_line(const CreditRules& rules, const Row& row, const Sought& sought) {
  if (!rules.account) return line("account", "not in the answer: unproven");
  const auto shown = read_account(*rules.account, row, sought);
  return value_line("account", shown, shown.value == sought.account_id, sought.account_id);
}

Reading<std::string> currency_of(const CreditRules& rules, const Row& row) {
  if (const auto* at = std::get_if<RowPointer>(&rules.currency)) return read_currency(*at, row);
  if (const auto* constant = std::get_if<std::string>(&rules.currency)) return {*constant, {}};
  return {};
}

std::string money_lines(const CreditRules& rules, const Row& row, const Operation& operation) {
  const auto currency = currency_of(rules, row);
  std::string lines;
  if (!currency.value && currency.why.empty())
    lines = line("currency", "not in the answer: unproven");
  else
    lines = value_line("currency", currency,
                       currency.value && *currency.value == upper_case(operation.currency),
                       operation.currency);
  const auto amount = read_amount(rules.amount, row, currency.value.value_or(operation.currency));
  const Reading<std::string> shown{
      amount.value ? std::optional(amount.value->to_string()) : std::nullopt, amount.why};
  const auto wanted = operation.amount ? operation.amount->to_string() : "no number";
  return lines +
         value_line("amount", shown, amount.value && operation.amount == amount.value, wanted);
}

std::string state_line(const StateRule& rule, const Row& row) {
  constexpr const char* kWords[] = {"settled", "pending", "failed", "reversed",
                                    "not listed in the profile"};
  const auto state = read_state(rule, row);
  if (!state.value) return line("state", "unreadable: " + state.why);
  return line("state", kWords[static_cast<std::size_t>(*state.value)]);
}

std::string explain_row(const CreditRules& rules, const Row& row, const Operation& operation,
                        const Sought& sought) {
  const auto match = match_key(rules.key, row, sought.key);
  auto lines = key_line(rules.key, match);
  bool ours = match == KeyMatch::ours;
  for (const auto& condition : rules.where) {
    lines += condition_line(condition, row);
    ours = ours && holds(condition, row);
  }
  if (!ours) return lines;
  const auto reference = read_reference(rules.reference, row);
  lines += line("reference",
                reference.value ? yaml::quoted(*reference.value) : "unreadable: " + reference.why);
  return lines + account_line(rules, row, sought) + money_lines(rules, row, operation) +
         state_line(rules.state, row);
}

}  // namespace

std::string explain_rows(const CreditRules& rules, const json::Node& root,
                         const Operation& operation) {
  const auto found = rules.at.resolve(root);
  if (!found.why.empty()) return "  no rows: " + found.why + "\n";
  const Sought sought{to_string(operation.id), operation.currency, operation.account_id};
  std::string text = fmt::format("  {} row{} at \"{}\"\n", found.rows.size(),
                                 found.rows.size() == 1 ? "" : "s", rules.at.text());
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const auto& row = found.rows[i];
    if (i >= kMostRowsExplained && match_key(rules.key, row, sought.key) != KeyMatch::ours) {
      ++hidden;
      continue;
    }
    text += fmt::format("  row {}\n", i + 1) + explain_row(rules, row, operation, sought);
  }
  if (hidden > 0) text += fmt::format("  and {} rows of others\n", hidden);
  return text;
}

}  // namespace reconciled
