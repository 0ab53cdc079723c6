// SPDX-License-Identifier: Apache-2.0
// The daemon and the one-shot: the event loop with its duties, from a good configuration to the
// exit code.
#pragma once

#include <filesystem>

#include "daemon/configuration.hpp"
#include "daemon/log.hpp"

namespace reconciled {

/// Runs until SIGTERM or SIGINT. SIGHUP reads `file` again.
ExitCode run_daemon(Configuration configuration, const std::filesystem::path& file,
                    const Surroundings& around, Log& log);

/// Everything that is due now, each operation asked once, then the end (design §10).
ExitCode run_once(Configuration configuration, const Surroundings& around, Log& log);

}  // namespace reconciled
