// SPDX-License-Identifier: Apache-2.0
#include "daemon/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace reconciled {
namespace {

class OpenFile {
 public:
  // O_NONBLOCK: opening a pipe that nobody writes to must not hang the start.
  explicit OpenFile(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

Failure system_failure(const std::filesystem::path& path, int error) {
  const bool forbidden = error == EACCES || error == EPERM;
  return {
      forbidden ? ExitCode::permission : ExitCode::configuration,
      fmt::format("{}: cannot be read: {}", path.string(), std::generic_category().message(error)),
      forbidden ? "let the daemon's user read it" : ""};
}

/// Fills `buffer`; its size is one more than may be used, so that a file that grew is noticed.
Result<std::size_t> fill(const std::filesystem::path& path, char* buffer, std::size_t size) {
  const OpenFile file{path};
  if (file.descriptor() < 0) return system_failure(path, errno);
  struct stat facts {};
  if (fstat(file.descriptor(), &facts) != 0) return system_failure(path, errno);
  if (!S_ISREG(facts.st_mode))
    return Failure{ExitCode::configuration,
                   path.string() + (S_ISDIR(facts.st_mode) ? ": is a directory, not a file"
                                                           : ": is no regular file")};
  std::size_t used = 0;
  while (used < size) {
    const auto got = read(file.descriptor(), buffer + used, size - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_failure(path, errno);
    if (got == 0) return used;
    used += static_cast<std::size_t>(got);
  }
  return Failure{ExitCode::configuration,
                 fmt::format("{}: larger than {} bytes", path.string(), size - 1)};
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t most_bytes) {
  std::string text(most_bytes + 1, '\0');
  const auto used = fill(path, text.data(), text.size());
  if (!used) return used.error();
  text.resize(*used);
  return text;
}

Result<Secret> read_secret_file(const std::filesystem::path& path, std::size_t most_bytes) {
  const auto buffer = std::make_unique<char[]>(most_bytes + 1);
  const auto used = fill(path, buffer.get(), most_bytes + 1);
  Secret secret{used ? std::string_view{buffer.get(), *used} : std::string_view{}};
  explicit_bzero(buffer.get(), most_bytes + 1);
  if (!used) return used.error();
  return secret;
}

}  // namespace reconciled
