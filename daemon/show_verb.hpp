// SPDX-License-Identifier: Apache-2.0
// `reconciled show`: one operation and its evidence.
#pragma once

#include "daemon/configuration.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

/// Prints a time line for people, or JSON: the operation's object, then one of each row of
/// evidence. 1 if there is no such operation, or none that the role may see.
ExitCode run_show(const Configuration& configuration, OperationId operation, OutputFormat format);

}  // namespace reconciled
