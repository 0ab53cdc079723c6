// SPDX-License-Identifier: Apache-2.0
// Conditions on a row, and the profile's `credits.state`, which is made of them.
#include <algorithm>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

/// A text to compare with, or a template that makes one.
void read_equals(ProfileFields& fields, Condition& condition) {
  const auto text = fields.optional_text("equals");
  if (!text) return;
  const auto* node = fields.find("equals");
  auto equals = read_template(*text, node->at, fields.path_of("equals"), fields.faults());
  if (equals.is_literal())
    condition.one_of = {*text};
  else
    condition.equals = std::move(equals);
}

Condition read_condition(ProfileFields& fields) {
  Condition condition;
  condition.at = fields.row_pointer("at");
  read_equals(fields, condition);
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

}  // namespace

std::vector<Condition> read_conditions(ProfileFields& fields, std::string_view key) {
  std::vector<Condition> result;
  const auto* node = fields.find(key);
  if (node == nullptr) return result;
  if (node->kind != yaml::Kind::sequence) {
    fields.fault(*node, key, "must be a list of conditions");
    return result;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    ProfileFields item(node->items[i], fields.path_of(key) + "[" + std::to_string(i) + "]",
                       fields.faults());
    result.push_back(read_condition(item));
  }
  return result;
}

StateRule read_state_rule(ProfileFields& state) {
  StateRule rule;
  rule.reversed_if_present = state.optional_row_pointer("reversed_if_present");
  rule.reversed_if = read_conditions(state, "reversed_if");
  rule.settled_if_present = state.optional_row_pointer("settled_if_present");
  if (state.has("always") && rule.settled_if_present)
    state.fault(*state.find("settled_if_present"), "settled_if_present",
                "and always exclude each other");
  const bool always = state.has("always");
  if (always) state.word("always", {"settled"});
  if (always || rule.settled_if_present) {
    const std::string other = always ? "always" : "settled_if_present";
    if (state.has("at"))
      state.fault(*state.find("at"), "at", "and " + other + " exclude each other");
    return rule;
  }
  state.find("always");
  rule.at = state.row_pointer("at");
  rule.settled = state.words("settled");
  rule.pending = state.words("pending");
  rule.failed = state.words("failed");
  rule.reversed = state.words("reversed");
  check_states(state, rule);
  return rule;
}

}  // namespace reconciled
