// SPDX-License-Identifier: Apache-2.0
// Where --probe-profile has its operation from: a file, or the database of the configuration.
#pragma once

#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"
#include "daemon/probe_operation.hpp"

namespace reconciled {

/// From the database it comes by one SELECT in a read-only session, also on a standby, and as_of is
/// the database's time. Failures: 1 for an operation that is not there; 77 and 69 as for the
/// daemon; 78 for a file or a row that does not say what is needed.
Result<ProbeOperation> probed_operation(const ProbeInvocation& invocation,
                                        const Configuration& configuration);

}  // namespace reconciled
