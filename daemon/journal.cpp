// SPDX-License-Identifier: Apache-2.0
#include "daemon/journal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

namespace reconciled {
namespace {

/// syslog(3).
int priority(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
    case LogLevel::debug:
      return 7;
    case LogLevel::info:
      return 6;
    case LogLevel::warn:
      return 4;
    case LogLevel::error:
      return 3;
  }
  return 6;
}

/// owner_version becomes RECONCILED_OWNER_VERSION; a unit is written as systemd does, _USEC.
std::string field_name(std::string_view name) {
  std::string result = "RECONCILED_";
  for (const char c : name) result += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (result.ends_with("_US")) result += "EC";
  return result;
}

}  // namespace

bool names_stream(std::string_view journal_stream, dev_t device, ino_t inode) {
  return journal_stream == fmt::format("{}:{}", device, inode);
}

bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat seen {};
  return stream != nullptr && fstat(STDERR_FILENO, &seen) == 0 &&
         names_stream(stream, seen.st_dev, seen.st_ino);
}

std::vector<std::string> journal_fields(LogLevel level, const EventKind& event,
                                        std::string_view message, std::span<const Field> fields) {
  std::vector<std::string> result{
      fmt::format("MESSAGE={}", message), fmt::format("PRIORITY={}", priority(level)),
      fmt::format("MESSAGE_ID={}", event.message_id), "SYSLOG_IDENTIFIER=reconciled",
      fmt::format("RECONCILED_EVENT={}", event.name)};
  for (const auto& field : fields)
    if (!is_empty(field))
      result.push_back(fmt::format("{}={}", field_name(field.name), plain_text(field)));
  return result;
}

}  // namespace reconciled
