// SPDX-License-Identifier: Apache-2.0
#include "daemon/log_queue.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>

namespace reconciled {
namespace {

/// How long the end of the process waits for a reader that may have stopped.
constexpr Duration kLastWords = 2s;

std::size_t size_of(const LogRecord& record) {
  return std::accumulate(record.parts.begin(), record.parts.end(), sizeof(LogRecord),
                         [](std::size_t sum, const auto& part) { return sum + part.size(); });
}

/// A standard error that somebody set to non-blocking is waited for like any other.
bool wait_until_writable() {
  pollfd one{STDERR_FILENO, POLLOUT, 0};
  return poll(&one, 1, -1) == 1;
}

bool write_all(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written >= 0)
      text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno == EAGAIN ? !wait_until_writable() : errno != EINTR)
      return false;
  }
  return true;
}

bool send_to_journal(const LogRecord& record) {
  std::vector<iovec> fields;
  fields.reserve(record.parts.size());
  for (const auto& part : record.parts)
    fields.push_back({const_cast<char*>(part.data()), part.size()});
  return sd_journal_sendv(fields.data(), static_cast<int>(fields.size())) >= 0;
}

bool write_out(const LogRecord& record) {
  return record.to == LogRecord::To::journal ? send_to_journal(record)
                                             : write_all(record.parts.front());
}

}  // namespace

struct LogQueue::State {
  void serve() {
    std::unique_lock lock(mutex);
    while (!ended || !waiting.empty()) {
      changed.wait(lock, [this] { return ended || !waiting.empty(); });
      const auto batch = std::exchange(waiting, {});
      lock.unlock();
      for (const auto& record : batch) {
        if (!write_out(record)) ++dropped;
        bytes -= size_of(record);
      }
      lock.lock();
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<LogRecord> waiting;
  std::atomic<std::size_t> bytes = 0;  // of what waits, and of what is being written
  std::atomic<std::uint64_t> dropped = 0;
  bool ended = false;
};

LogQueue::LogQueue() : state_(std::make_shared<State>()) {
  std::thread([state = state_] { state->serve(); }).detach();
}

LogQueue::~LogQueue() {
  flush(kLastWords);
  const std::lock_guard lock(state_->mutex);
  state_->ended = true;
  state_->changed.notify_all();
}

void LogQueue::push(LogRecord record) {
  const auto size = size_of(record);
  const auto most = record.precious ? 2 * kLogQueueMost : kLogQueueMost;
  const std::lock_guard lock(state_->mutex);
  if (state_->bytes + size > most) {
    ++state_->dropped;
    return;
  }
  state_->bytes += size;
  state_->waiting.push_back(std::move(record));
  state_->changed.notify_one();
}

bool LogQueue::flush(Duration at_most) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, at_most, [this] { return state_->bytes == 0; });
}

std::uint64_t LogQueue::dropped() const noexcept { return state_->dropped; }

}  // namespace reconciled
