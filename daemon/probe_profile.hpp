// SPDX-License-Identifier: Apache-2.0
// Trying a profile on one operation, for the person who writes it: the request, and if asked for,
// the answer row by row, the finding and what would be recorded. Nothing is ever written, and no
// database is needed unless the operation is to come from there.
#pragma once

#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"

namespace reconciled {

/// Exit codes: 0 shown, or the finding is found or absent; 1 another finding that is the profile's
/// or the operation's doing; 69 the provider does not answer as it should; 77, 78 as for the
/// daemon. Faults go to stderr.
ExitCode run_probe_profile(const Invocation& invocation, const Surroundings& around);

}  // namespace reconciled
