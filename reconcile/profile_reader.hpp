// SPDX-License-Identifier: Apache-2.0
// Reading a provider profile, strictly: whatever is unknown, missing, of the wrong type, out of
// range or not supported is a fault with its line and column, all of them at once (design §5, §9).
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/yaml.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

/// The profile that `yaml` holds, or every fault in file order; yaml::report() prints them.
std::variant<Profile, std::vector<yaml::Fault>> read_profile(std::string_view yaml);

/// What is wrong with a provider's base URL, or empty: http or https, a host, maybe a port and a
/// path; no user, query or fragment. Also for the configuration's provider.base_url.
std::string_view fault_of_base_url(std::string_view url) noexcept;

}  // namespace reconciled
