// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/virtual_time.hpp"

#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "base/chance.hpp"
#include "tests/sim/random.hpp"

namespace reconciled {
namespace sim {
namespace {

constexpr std::int64_t kBeginning = 1'000'000'000'000;  // ns; a steady clock's zero means nothing
constexpr auto kFurthest = std::chrono::minutes{4};     // Asio itself waits no longer than five

std::int64_t now_ns = kBeginning;
int wanted_ms = -1;                             // what the loop would have waited for
boost::asio::io_context* asked_loop = nullptr;  // that is asked how long it would wait
Random chances{0};

}  // namespace

void seed(std::uint64_t with) { chances = Random{with}; }

void advance(Duration by) { now_ns += std::chrono::nanoseconds{by}.count(); }

bool run_ready(boost::asio::io_context& loop) {
  loop.restart();
  return loop.poll() > 0;
}

std::optional<Duration> until_next_timer(boost::asio::io_context& loop) {
  wanted_ms = -1;
  asked_loop = &loop;
  loop.restart();
  loop.run_one();  // ends in epoll_wait, below
  asked_loop = nullptr;
  if (wanted_ms < 0 || std::chrono::milliseconds{wanted_ms} >= kFurthest) return std::nullopt;
  return std::chrono::milliseconds{wanted_ms};
}

}  // namespace sim

/// The product's own is seeded by the kernel. The linker takes this one.
double chance() { return static_cast<double>(sim::chances.below(1 << 20)) / (1 << 20); }

}  // namespace reconciled

// What the C library would do, for this program alone.
extern "C" {

int clock_gettime(clockid_t clock, timespec* into) noexcept {
  if (clock != CLOCK_MONOTONIC) return static_cast<int>(syscall(SYS_clock_gettime, clock, into));
  constexpr std::int64_t kSecond = 1'000'000'000;
  into->tv_sec = reconciled::sim::now_ns / kSecond;
  into->tv_nsec = reconciled::sim::now_ns % kSecond;
  return 0;
}

/// Asio then asks for its timers with the timeout of its wait, which we see.
int timerfd_create(int /*clock*/, int /*flags*/) noexcept {
  errno = ENOSYS;
  return -1;
}

/// Nothing in here has a socket: there are only timers, and time passes when the simulation says.
int epoll_wait(int /*set*/, epoll_event* /*events*/, int /*most*/, int timeout) {
  auto* const asked = reconciled::sim::asked_loop;
  if (timeout == 0 || asked == nullptr) return 0;
  reconciled::sim::wanted_ms = timeout;
  asked->stop();
  return 0;
}

/// What a loop uses to wake another thread's; there is none.
int epoll_ctl(int /*set*/, int /*what*/, int /*of*/, epoll_event* /*event*/) noexcept { return 0; }

ssize_t getrandom(void* into, std::size_t size, unsigned /*flags*/) noexcept {
  auto* at = static_cast<unsigned char*>(into);
  for (std::size_t i = 0; i < size; ++i)
    at[i] = static_cast<unsigned char>(reconciled::sim::chances.below(256));
  return static_cast<ssize_t>(size);
}
}
