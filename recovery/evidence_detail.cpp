// SPDX-License-Identifier: Apache-2.0
#include "recovery/evidence_detail.hpp"

#include "base/text.hpp"

namespace reconciled {
namespace {

/// What the profile cannot show, as a JSON array of field names; empty if it shows all.
std::string unproven(const Credit& credit) {
  std::string names;
  if (!credit.account) names = "\"account\"";
  if (!credit.currency) names += names.empty() ? "\"currency\"" : ",\"currency\"";
  return names;
}

}  // namespace

const std::vector<Credit>* credits_in(const Finding& finding) noexcept {
  if (const auto* found = std::get_if<Found>(&finding)) return &found->credits;
  if (const auto* part = std::get_if<Incomplete>(&finding)) return &part->credits;
  return nullptr;
}

std::string evidence_detail(const Look& look) {
  std::string members;
  const auto add = [&members](const std::string& member) {
    members += (members.empty() ? "" : ",") + member;
  };
  const auto* credits = credits_in(look.finding);
  if (credits != nullptr && credits->size() != 1)
    add("\"credits\":" + std::to_string(credits->size()));
  if (credits != nullptr && !credits->empty())
    if (const auto names = unproven(credits->front()); !names.empty())
      add("\"unproven\":[" + names + "]");
  if (const auto why = explanation(look.finding); !why.empty()) add("\"why\":" + json_quoted(why));
  return members.empty() ? members : "{" + members + "}";
}

}  // namespace reconciled
