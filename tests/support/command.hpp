// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace reconciled::test {

struct CommandResult {
  int exit_code = -1;  // 128 + the signal if one ended it
  std::string output;  // stdout and stderr, as they came
};

/// Runs a program found in PATH without a shell, stdin from /dev/null, and waits for its end.
/// Throws std::system_error if it cannot be started.
CommandResult run_command(const std::vector<std::string>& arguments);

}  // namespace reconciled::test
