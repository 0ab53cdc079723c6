// SPDX-License-Identifier: Apache-2.0
// Whether the timings are safe together (design §8): pure, and shown with all numbers by
// --check-config.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/settings.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

enum class Holds { yes, no, not_provable };

/// "ok", "FAIL" or "not provable".
std::string_view to_string(Holds holds) noexcept;

struct Relation {
  std::string name;         ///< "recovery.drain_timeout < recovery_lease"
  std::string left, right;  ///< the numbers: "20s", "60s - 5s = 55s"
  Holds holds = Holds::no;
  std::string explanation;  ///< what goes wrong where it does not hold, and what to change
};

/// Every relation, in the order of design §8. A start with one that does not hold is refused (78);
/// one that is not provable is warned about.
std::vector<Relation> relations(const Settings& settings, const Guarantees& guarantees);

/// With recovery.resubmit on: what it needs of settings and profile; else none.
std::vector<Relation> resubmission_relations(const Settings& settings, const Profile& profile);

struct Difference {
  std::string key;  ///< "timings.lease_margin"
  Duration file, database;
};

/// The timings that the file and contract_timings disagree on; a start with any is refused (78).
std::vector<Difference> compare_timings(const Timings& file, const Timings& database);

}  // namespace reconciled
