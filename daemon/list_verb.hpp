// SPDX-License-Identifier: Apache-2.0
// `reconciled list`: what is stored, by filters, oldest first.
#pragma once

#include "daemon/configuration.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

/// Prints the operations that fit, as a table for people or as one JSON object a line. 0 also if
/// there are none.
ExitCode run_list(const Configuration& configuration, const ListInvocation& wanted,
                  OutputFormat format);

}  // namespace reconciled
