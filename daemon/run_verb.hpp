// SPDX-License-Identifier: Apache-2.0
// From a person's verb on the command line to the function that does it.
#pragma once

#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"

namespace reconciled {

bool is_verb(Command command) noexcept;

/// Reads what the verb needs of the configuration, and does it. Only for a verb.
ExitCode run_verb(const Invocation& invocation, const Surroundings& around);

}  // namespace reconciled
