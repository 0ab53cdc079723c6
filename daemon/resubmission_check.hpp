// SPDX-License-Identifier: Apache-2.0
// What creating again needs of the database, checked at start (design §6).
#pragma once

#include "base/awaitable.hpp"
#include "base/failures.hpp"
#include "daemon/settings.hpp"
#include "sql/database.hpp"

namespace reconciled {

struct ResubmissionState {
  bool enabled = true;  ///< the switch in the database
  std::string why;      ///< its reason
};

/// Nothing is asked unless recovery.resubmit is on. Failures: 78 where the eligibility function is
/// missing or returns something else, 77 where recovery may not call it, 65 where the switch would
/// not trip.
Awaitable<Result<ResubmissionState>> check_resubmission(sql::Database& database,
                                                        const Settings& settings);

}  // namespace reconciled
