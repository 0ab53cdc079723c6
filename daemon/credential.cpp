// SPDX-License-Identifier: Apache-2.0
#include "daemon/credential.hpp"

#include <algorithm>
#include <string>

#include "daemon/files.hpp"

namespace reconciled {
namespace {

std::string_view without_line_end(std::string_view text) {
  for (const std::string_view line_end : {"\r\n", "\n"})
    if (text.ends_with(line_end)) return text.substr(0, text.size() - line_end.size());
  return text;
}

/// What makes a line unfit as a credential; empty if nothing does.
std::string_view what_is_wrong(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) return "starts with a byte order mark";
  if (line.empty()) return "is empty";
  if (line.find('\n') != std::string_view::npos) return "has more than one line";
  const bool clean = std::none_of(line.begin(), line.end(),
                                  [](unsigned char byte) { return byte < 0x20 || byte == 0x7f; });
  return clean ? "" : "holds a tab or another control character";
}

}  // namespace

Result<std::filesystem::path> credential_path(
    std::string_view key, std::string_view name,
    const std::optional<std::filesystem::path>& credentials_directory) {
  if (name.starts_with('/')) return std::filesystem::path(name);
  if (!credentials_directory || credentials_directory->empty())
    return Failure{
        ExitCode::configuration,
        std::string(key) + ": the name is relative and $CREDENTIALS_DIRECTORY is not set",
        "give an absolute path, or LoadCredential= in the unit"};
  return *credentials_directory / name;
}

Result<Secret> read_credential(std::string_view key, const std::filesystem::path& file) {
  const auto content = read_secret_file(file, kMostOfACredential);
  if (!content) {
    auto failure = content.error();
    failure.what = std::string(key) + ": " + failure.what;
    return failure;
  }
  const auto line = without_line_end(content->reveal());
  const auto wrong = what_is_wrong(line);
  if (!wrong.empty())
    return Failure{ExitCode::configuration,
                   std::string(key) + ": " + file.string() + ": " + std::string(wrong),
                   "the file holds the credential on one line, and nothing else"};
  return Secret{line};
}

}  // namespace reconciled
