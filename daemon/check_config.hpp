// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "daemon/configuration.hpp"

namespace reconciled {

/// --check-config: every relation with its numbers, then what is worth a warning. 78 if one does
/// not hold. No database is asked.
ExitCode check_config(const Configuration& configuration);

}  // namespace reconciled
