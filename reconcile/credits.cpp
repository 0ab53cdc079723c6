// SPDX-License-Identifier: Apache-2.0
#include "reconcile/credits.hpp"

#include <algorithm>

#include "reconcile/credit_fields.hpp"

namespace reconciled {
namespace {

bool needs_filling(const CreditRules& rules) noexcept {
  const auto open = [](const Condition& condition) { return condition.equals.has_value(); };
  return std::any_of(rules.where.begin(), rules.where.end(), open) ||
         std::any_of(rules.empty_if.begin(), rules.empty_if.end(), open) ||
         std::any_of(rules.state.reversed_if.begin(), rules.state.reversed_if.end(), open) ||
         (rules.account && rules.account->equals);
}

std::optional<Unfillable> fill(std::vector<Condition>& conditions, TemplateValues& values) {
  for (auto& condition : conditions) {
    if (!condition.equals) continue;
    std::string text;
    if (auto unfillable = append_text(*condition.equals, values, text)) return unfillable;
    condition.one_of = {std::move(text)};
  }
  return std::nullopt;
}

bool all_hold(const std::vector<Condition>& conditions, const Row& row) noexcept {
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return holds(condition, row); });
}

}  // namespace

std::optional<Unfillable> fill(const CreditRules& rules, TemplateValues& values,
                               std::optional<CreditRules>& filled) {
  if (!needs_filling(rules)) return std::nullopt;
  filled = rules;
  if (auto unfillable = fill(filled->where, values)) return unfillable;
  if (auto unfillable = fill(filled->empty_if, values)) return unfillable;
  if (auto unfillable = fill(filled->state.reversed_if, values)) return unfillable;
  if (!filled->account || !filled->account->equals) return std::nullopt;
  return append_text(*filled->account->equals, values, filled->account->expected);
}

RowsRead read_rows(const CreditRules& rules, const json::Node& root, const Sought& sought) {
  RowsRead read;
  const bool may_be_empty = !rules.empty_if.empty() && root.is(json::Kind::object);
  if (may_be_empty && all_hold(rules.empty_if, {&root, &root})) return read;
  auto found = rules.at.resolve(root);
  read.why = std::move(found.why);
  if (!read.why.empty()) return read;
  read.rows = found.listed;
  read.last = found.last;
  for (const auto& row : found.rows) {
    const auto key = match_key(rules.key, row, sought.key);
    if (found.single && key == KeyMatch::none) read.why = "one object that shows no key";
    if (key != KeyMatch::ours || !all_hold(rules.where, row)) continue;
    std::string why;
    auto credit = read_credit(rules, row, sought, why);
    if (why.empty())
      read.credits.push_back(std::move(credit));
    else if (read.why.empty())
      read.why = "a credit with our key has " + why;
  }
  return read;
}

}  // namespace reconciled
