// SPDX-License-Identifier: Apache-2.0
// Where a person's verb runs: an event loop and a database for the length of one command.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>

#include "base/awaitable.hpp"
#include "daemon/configuration.hpp"
#include "sql/database.hpp"

namespace reconciled {

/// What a verb wants of the provider; the less, the fewer files its person must be able to read.
enum class ProviderNeed { none, guarantees, asking };

/// Settings, database password, and of the provider what is needed. Failures as of
/// load_configuration().
Result<Configuration> load_for_verb(const std::filesystem::path& file, const Surroundings& around,
                                    ProviderNeed need);

struct VerbBench {
  boost::asio::any_io_executor executor;
  sql::Database& database;
};
/// A verb that came to its end: what the process exits with.
struct VerbDone {
  ExitCode code = ExitCode::done;
};
/// The verb itself. Its failure is told by whoever runs it.
using VerbWork = std::function<Awaitable<Result<VerbDone>>(VerbBench)>;

/// Runs work that only reads, in a read-only session: as the login role itself, or as
/// reconciled_operator where that alone may see; on a server that can be written, or on a standby
/// where there is no other, which is told. `statement_timeout` replaces the setting. Work that
/// fails with 77 or 75 must not have printed anything: it is run again.
ExitCode run_reading(const Configuration& configuration, Duration statement_timeout,
                     const VerbWork& work);

/// Runs work that writes, as reconciled_operator; `dry_run` makes the session read-only.
ExitCode run_writing(const Configuration& configuration, bool dry_run, const VerbWork& work);

/// A statement's failure as one of the verb.
Failure database_failure(const sql::Error& error);

}  // namespace reconciled
