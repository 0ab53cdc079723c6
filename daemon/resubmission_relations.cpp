// SPDX-License-Identifier: Apache-2.0
// What creating again needs of settings and profile (design §6): each missing thing is a relation
// of its own, so that a refused start names them all.
#include "daemon/relations.hpp"
#include "daemon/settings_table.hpp"

namespace reconciled {
namespace {

Relation needs(std::string name, std::string left, std::string right, bool holds,
               std::string explanation) {
  return {std::move(name), std::move(left), std::move(right), holds ? Holds::yes : Holds::no,
          std::move(explanation)};
}

std::string retention_text(const KeyRetention& retention) {
  switch (retention.kind) {
    case KeyRetention::Kind::finite:
      return to_string(retention.length);
    case KeyRetention::Kind::permanent:
      return "permanent";
    case KeyRetention::Kind::none:
      return "none";
    case KeyRetention::Kind::undocumented:
      return "undocumented";
  }
  return "";
}

constexpr char kOrOff[] = ", or set recovery.resubmit to false";

}  // namespace

std::vector<Relation> resubmission_relations(const Settings& settings, const Profile& profile) {
  if (!settings.recovery.resubmit) return {};
  const auto& promised = profile.guarantees;
  const auto documented = [](bool is, const char* what) {
    return std::string(is ? what : "undocumented");
  };
  const bool remembers = promised.key_retention.kind == KeyRetention::Kind::finite ||
                         promised.key_retention.kind == KeyRetention::Kind::permanent;
  const bool named = !settings.recovery.eligibility_function.empty();
  std::vector<Relation> all;
  all.push_back(
      needs("recovery.resubmit needs the profile's create", profile.create ? "present" : "missing",
            "present", profile.create.has_value(),
            "the profile does not say how to create again: write create" + std::string(kOrOff)));
  all.push_back(needs("recovery.resubmit needs guarantees.concurrent_same_key",
                      documented(promised.concurrent_same_key_atomic, "atomic"), "atomic",
                      promised.concurrent_same_key_atomic,
                      "two requests at once under one key could make two credits: use a provider "
                      "that documents otherwise" +
                          std::string(kOrOff)));
  all.push_back(needs("recovery.resubmit needs guarantees.same_parameters",
                      documented(promised.same_parameters_enforced, "enforced"), "enforced",
                      promised.same_parameters_enforced,
                      "a key could be answered with a credit of other parameters: use a provider "
                      "that documents otherwise" +
                          std::string(kOrOff)));
  all.push_back(needs("recovery.resubmit needs guarantees.key_retention",
                      retention_text(promised.key_retention), "a duration or permanent", remembers,
                      "the provider could have forgotten the key and create a second credit: use a "
                      "provider that documents otherwise" +
                          std::string(kOrOff)));
  all.push_back(needs("recovery.resubmit needs recovery.eligibility_function",
                      named ? settings.recovery.eligibility_function : "none", "a function", named,
                      "nobody would say whether the credit may still be created: name the "
                      "service's function" +
                          std::string(kOrOff)));
  return all;
}

}  // namespace reconciled
