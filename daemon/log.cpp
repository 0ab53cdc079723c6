// SPDX-License-Identifier: Apache-2.0
#include "daemon/log.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include "base/text.hpp"
#include "daemon/journal.hpp"

namespace reconciled {
namespace {

// The time comes from the pattern, the rest of the line is ours.
constexpr char kTextPattern[] = "%Y-%m-%dT%H:%M:%S.%eZ %v";
constexpr char kJsonPattern[] = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ",%v})";

/// The word of log.level; spdlog's own are others.
std::string_view word(LogLevel level) {
  constexpr std::string_view kWords[] = {"trace", "debug", "info", "warn", "error"};
  return kWords[static_cast<std::size_t>(level)];
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
                      std::span<const Field> fields) {
  std::string line = "\"level\":" + json_quoted(word(level)) + ",\"event\":" + json_quoted(event);
  for (const auto& field : fields)
    if (!is_empty(field)) line += "," + json_quoted(field.name) + ":" + to_json(field);
  return line + ",\"message\":" + json_quoted(message);
}

std::string text_line(LogLevel level, std::string_view event, std::string_view message,
                      std::span<const Field> fields) {
  std::string line(word(level));
  line.append(" ").append(event);
  for (const auto& field : fields)
    if (!is_empty(field)) line.append(" ").append(field.name).append("=").append(to_text(field));
  // A message quotes what others said; it stays one line.
  const auto quoted = json_quoted(message);
  return line + ": " + quoted.substr(1, quoted.size() - 2);
}

}  // namespace

Log::Log(const LogSettings& settings) { configure(settings); }

Log::~Log() { tell_suppressed(SteadyTime::max()); }

void Log::configure(const LogSettings& settings) {
  least_ = settings.level;
  form_ = settings.format == LogFormat::text ? Form::text : Form::json;
  if (settings.format == LogFormat::automatic && isatty(STDERR_FILENO) != 0) form_ = Form::text;
  if (settings.format == LogFormat::automatic && stderr_is_journal()) form_ = Form::journal;
  formatter_ = std::make_unique<spdlog::pattern_formatter>(
      form_ == Form::json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc);
}

void Log::write(LogLevel level, const EventName& event, std::string_view message,
                std::initializer_list<Field> fields) {
  if (level < least_) return;
  const auto now = SteadyClock::now();
  tell_suppressed(now);
  if (limit_.allows(level, event, now))
    put(level, event.kind(), event.about_money(), message, fields);
  else
    ++suppressed_;
}

void Log::tell_suppressed(SteadyTime now) {
  for (const auto& [level, kind, sort, events] : limit_.over(now)) {
    const Field fields[] = {{"suppressed", events}, {"reason", sort}};
    put(level, *kind, false, "suppressed " + std::to_string(events) + " like the ones before",
        fields);
  }
}

void Log::put(LogLevel level, const EventKind& event, bool precious, std::string_view message,
              std::span<const Field> fields) {
  if (form_ == Form::journal) {
    queue_.push({LogRecord::To::journal, journal_fields(level, event, message, fields), precious});
    return;
  }
  const auto line = form_ == Form::json ? json_line(level, event.name, message, fields)
                                        : text_line(level, event.name, message, fields);
  spdlog::memory_buf_t text;
  formatter_->format(spdlog::details::log_msg("reconciled", spdlog::level::info, line), text);
  queue_.push({LogRecord::To::standard_error, {std::string(text.data(), text.size())}, precious});
}

}  // namespace reconciled
