// SPDX-License-Identifier: Apache-2.0
// `reconciled resubmit`: a person turns creating again on or off, for every daemon of the database.
#pragma once

#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"

namespace reconciled {

/// Acts as reconciled_operator, and writes evidence with the actor. 0 if the switch now stands as
/// asked for, also if it did before.
ExitCode run_resubmit(const Configuration& configuration, const ResubmitInvocation& asked);

}  // namespace reconciled
