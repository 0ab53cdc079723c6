// SPDX-License-Identifier: Apache-2.0
// The parts that read_profile() is made of, one for each mapping of a profile. They note faults and
// return what could be read.
#pragma once

#include "reconcile/profile.hpp"
#include "reconcile/profile_fields.hpp"

namespace reconciled {

inline constexpr int kMaxPagesDefault = 50;
inline constexpr int kMaxPagesMost = 1000;

Auth read_auth(ProfileFields& auth);
std::vector<std::pair<std::string, std::string>> read_headers(ProfileFields& headers);
Lookup read_lookup(ProfileFields& lookup);
/// The object that `node` writes down in YAML: quoted scalars are strings, plain ones numbers,
/// true, false or null where they can be.
BodyTemplate read_body(const yaml::Node& node, const std::string& path, ProfileFaults& faults);
/// Writes paging and total. The request gives the number of the first page where it names the
/// parameter, and then loses it.
void read_paging(ProfileFields& paging, Lookup& lookup);
/// The list of conditions under `key`, if it is there.
std::vector<Condition> read_conditions(ProfileFields& fields, std::string_view key);
StateRule read_state_rule(ProfileFields& state);
AmountRule read_amount_rule(ProfileFields& amount);
/// `lookup` tells whether the request names the account, without which account: not_in_answer
/// would prove nothing.
CreditRules read_credit_rules(ProfileFields& credits, const Lookup& lookup);
Guarantees read_guarantees(ProfileFields& guarantees);
/// `guarantees` says which statuses mean "not processed", which success and refused must not name.
Create read_create(ProfileFields& create, const Guarantees& guarantees);

/// RFC 9110's token: what a header may be called.
bool is_header_name(std::string_view name) noexcept;
/// Why a profile may not set this header, or empty.
std::string fault_of_header_name(std::string_view name);

}  // namespace reconciled
