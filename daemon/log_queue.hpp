// SPDX-License-Identifier: Apache-2.0
// Between the work and whoever reads the log: a bounded queue with a thread of its own, because
// writing to a full pipe, a stopped journald or a slow disk blocks. What finds no room is counted
// and lost; the work goes on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace reconciled {

/// One event on its way out.
struct LogRecord {
  enum class To { standard_error, journal };
  To to = To::standard_error;
  /// For standard error one line, with its end; for the journal FIELD=value, one a field.
  std::vector<std::string> parts;
  /// May fill the room that is kept for it, where others find none any more.
  bool precious = false;
};

/// Bytes that wait; as many again are kept for precious records.
inline constexpr std::size_t kLogQueueMost = std::size_t{1} << 20;

class LogQueue {
 public:
  LogQueue();
  /// Waits as flush() does, then leaves a writer behind that hangs.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Never waits for a writer.
  void push(LogRecord record);
  /// Until all is written, at most this long. False: it is not.
  bool flush(Duration at_most);
  /// Records that found no room, or that the system refused to take.
  std::uint64_t dropped() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive us
};

}  // namespace reconciled
