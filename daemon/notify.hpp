// SPDX-License-Identifier: Apache-2.0
// The service manager's side of the process (sd_notify(3)). All of it does nothing where there is
// none, and a failure to tell it something is no failure of ours.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace reconciled::notify {

void ready();
/// Start of a reload, with the monotonic time that Type=notify-reload asks for; ends with ready().
void reloading();
void stopping();
/// One line for `systemctl status`.
void status(std::string_view line);
/// The work loop made a turn.
void watchdog();
/// Stopping takes longer: the manager may wait this much more, counted from now.
void extend_timeout(Duration by);

/// WatchdogSec of the unit, if this process is the one that has to feed it.
std::optional<Duration> watchdog_period();

}  // namespace reconciled::notify
