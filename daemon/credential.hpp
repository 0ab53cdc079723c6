// SPDX-License-Identifier: Apache-2.0
// Reading a secret that stands in a file of its own: provider.credential_file and
// database.password_file (design §9).
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/failures.hpp"
#include "base/secret.hpp"

namespace reconciled {

/// Larger than any token; a file beyond it is not one.
inline constexpr std::size_t kMostOfACredential = std::size_t{64} * 1024;

/// An absolute name as it is; another one in `credentials_directory`, which is systemd's
/// $CREDENTIALS_DIRECTORY. `key` names the setting in a Failure (78): where there is no such
/// directory.
Result<std::filesystem::path> credential_path(
    std::string_view key, std::string_view name,
    const std::optional<std::filesystem::path>& credentials_directory);

/// The one line of the file, without its line end (\n or \r\n). Failures name key and file, never
/// the content: 77 where the file may not be read; 78 where it is missing, empty, of several lines,
/// larger than kMostOfACredential, or holds a byte order mark or a control character.
Result<Secret> read_credential(std::string_view key, const std::filesystem::path& file);

}  // namespace reconciled
