// SPDX-License-Identifier: Apache-2.0
// What a pass would do, and does not (design G11): a read-only session of the login role as it is,
// no lock, no function of the service, no create; lookups are real unless they are left out.
#pragma once

#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"

namespace reconciled {

/// Exit codes: 0 shown; 65, 69, 77, 78 as for the daemon. Faults go to stderr.
ExitCode run_dry_run(Configuration configuration, const Surroundings& around,
                     const Invocation& invocation);

}  // namespace reconciled
