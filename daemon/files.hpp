// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/failures.hpp"
#include "base/secret.hpp"

namespace reconciled {

/// The whole content of a regular file of at most `most_bytes`. Failures name the file and not its
/// content: 77 where it may not be read, 78 for all else (missing, a directory, a pipe, a loop of
/// links, too large).
Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes);

/// The same for a file whose content must not stay behind in memory.
Result<Secret> read_secret_file(const std::filesystem::path& path, std::size_t most_bytes);

}  // namespace reconciled
