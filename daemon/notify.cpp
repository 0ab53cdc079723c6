// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include <string>

namespace reconciled::notify {
namespace {

// sd_notify's result is ignored, as its manual asks.
void tell(const std::string& state) { sd_notify(0, state.c_str()); }

}  // namespace

void ready() { tell("READY=1"); }

void reloading() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * 1'000'000 + now.tv_nsec / 1'000));
}

void stopping() { tell("STOPPING=1"); }

void status(std::string_view line) { tell(fmt::format("STATUS={}", line)); }

void watchdog() { tell("WATCHDOG=1"); }

void extend_timeout(Duration by) { tell(fmt::format("EXTEND_TIMEOUT_USEC={}", by.count())); }

std::optional<Duration> watchdog_period() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return Duration{static_cast<Duration::rep>(microseconds)};
}

}  // namespace reconciled::notify
