// SPDX-License-Identifier: Apache-2.0
// Where events go: the journal with fields of their own, or one line each on stderr, as text for
// people or as a JSON object for programs. Repeats are limited, and the work never waits for who
// reads them. Nothing but the edge logs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "daemon/event_table.hpp"
#include "daemon/field.hpp"
#include "daemon/log_queue.hpp"
#include "daemon/repeat_limit.hpp"
#include "daemon/settings.hpp"

namespace spdlog {
class formatter;
}

namespace reconciled {

class Log {
 public:
  /// Automatic: the journal's own protocol where stderr leads there, text where it is a terminal,
  /// else JSON. Times are UTC. Call from one thread.
  explicit Log(const LogSettings& settings);
  /// Says what is still suppressed, and waits a little for a reader.
  ~Log();

  /// For a reload. A change of the format counts at once as well.
  void configure(const LogSettings& settings);

  /// `message` is a sentence for a person. Fields with an empty text are left out.
  void write(LogLevel level, const EventName& event, std::string_view message,
             std::initializer_list<Field> fields = {});
  /// Says what was suppressed in windows that are over; to be called now and then.
  void tell_suppressed(SteadyTime now);
  /// Before an end without destructors: what waits is written, at most this long.
  void flush(Duration at_most) { queue_.flush(at_most); }

  std::uint64_t suppressed() const noexcept { return suppressed_; }
  std::uint64_t dropped() const noexcept { return queue_.dropped(); }

 private:
  enum class Form { text, json, journal };
  void put(LogLevel level, const EventKind& event, bool precious, std::string_view message,
           std::span<const Field> fields);

  LogQueue queue_;
  RepeatLimit limit_;
  LogLevel least_ = LogLevel::info;
  Form form_ = Form::text;
  std::unique_ptr<spdlog::formatter> formatter_;
  std::uint64_t suppressed_ = 0;
};

}  // namespace reconciled
