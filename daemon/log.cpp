// SPDX-License-Identifier: Apache-2.0
#include "daemon/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/text.hpp"

namespace reconciled {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// The time comes from the pattern, the rest of the line is ours.
constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %v";
constexpr char kJsonPattern[] = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})";

/// The word of log.level; spdlog's own are others.
std::string_view word(LogLevel level) {
  constexpr std::string_view kWords[] = {"trace", "debug", "info", "warn", "error"};
  return kWords[static_cast<std::size_t>(level)];
}

bool is_empty(const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  return text != nullptr && text->empty();
}

std::string to_json(const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return json_quoted(*text);
  return std::to_string(std::get<std::int64_t>(field.value));
}

std::string to_text(const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  if (text == nullptr) return std::to_string(std::get<std::int64_t>(field.value));
  // Text from elsewhere must not be able to look like a line or a field of ours.
  const bool plain = text->find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/") ==
                     std::string::npos;
  return plain ? *text : json_quoted(*text);
}

std::string json_line(LogLevel level, std::string_view event, std::string_view message,
                      std::initializer_list<Field> fields) {
  std::string line = "\"level\":" + json_quoted(word(level)) + ",\"event\":" + json_quoted(event);
  for (const auto& field : fields)
    if (!is_empty(field)) line += "," + json_quoted(field.name) + ":" + to_json(field);
  return line + ",\"message\":" + json_quoted(message);
}

std::string text_line(LogLevel level, std::string_view event, std::string_view message,
                      std::initializer_list<Field> fields) {
  std::string line(word(level));
  line.append(" ").append(event);
  for (const auto& field : fields)
    if (!is_empty(field)) line.append(" ").append(field.name).append("=").append(to_text(field));
  // A message quotes what others said; it stays one line.
  const auto quoted = json_quoted(message);
  return line + ": " + quoted.substr(1, quoted.size() - 2);
}

}  // namespace

Log::Log(const LogSettings& settings)
    : logger_(std::make_shared<spdlog::logger>("reconciled",
                                               std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  // A full disk or a closed stderr must not end the daemon, nor flood what is left of it.
  logger_->set_error_handler([](const std::string&) {});
  configure(settings);
}

Log::~Log() = default;

void Log::configure(const LogSettings& settings) {
  json_ = settings.format == LogFormat::json ||
          (settings.format == LogFormat::automatic && isatty(STDERR_FILENO) == 0);
  logger_->set_level(to_spdlog(settings.level));
  logger_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      json_ ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc));
  logger_->flush_on(spdlog::level::trace);
}

void Log::write(LogLevel level, std::string_view event, std::string_view message,
                std::initializer_list<Field> fields) {
  const auto at = to_spdlog(level);
  if (!logger_->should_log(at)) return;
  logger_->log(at, spdlog::string_view_t(json_ ? json_line(level, event, message, fields)
                                               : text_line(level, event, message, fields)));
}

}  // namespace reconciled
