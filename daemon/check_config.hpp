// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/configuration.hpp"

namespace reconciled {

/// --check-config: every relation with its numbers, then what is worth a warning. 78 if one does
/// not hold. The database is not needed; if it can be reached, who may admit and what bounds them
/// is shown as well (retention.require_bound), which changes no exit code.
ExitCode check_config(const Configuration& configuration);

}  // namespace reconciled
