// SPDX-License-Identifier: Apache-2.0
// What must be true of the database before anything is done with it (design §3, §8).
#pragma once

#include "base/awaitable.hpp"
#include "base/failures.hpp"
#include "base/time.hpp"
#include "daemon/settings.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// The contract that this binary knows; sql/install.sql writes the same number.
inline constexpr int kContractVersion = 1;
/// PostgreSQL's server_version_num.
inline constexpr int kOldestServer = 150000;

/// The database's time if all is well. Failures: 65 for a server or a contract that is too old, too
/// new, missing or unprotected; 75 for a server that cannot be written; 77 and 69 as
/// sql::exit_code(); 78 for timings that differ, both shown.
Awaitable<Result<DatabaseTime>> check_database(sql::Database& database, const Settings& settings);

/// The part of it that a reader needs: server and contract version. A standby is welcome.
Awaitable<Result<DatabaseTime>> check_contract(sql::Database& database, const Settings& settings,
                                               bool for_writing);

}  // namespace reconciled
