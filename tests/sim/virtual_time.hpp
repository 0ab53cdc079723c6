// SPDX-License-Identifier: Apache-2.0
// Simulated time, and everything else that would make two runs of one seed differ. The steady clock
// of this program is the simulation's: virtual_time.cpp stands in for what the C library says of
// time, timers and randomness, so that the product's code runs as it is.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace reconciled::sim {

/// Begins again: the same seed, the same tokens and jitter. Time goes on, it never goes back.
void seed(std::uint64_t with);

void advance(Duration by);

/// Runs what is ready now on this loop; false if there was nothing.
bool run_ready(boost::asio::io_context& loop);

/// How long until the loop's next timer; nullopt if it waits for none.
std::optional<Duration> until_next_timer(boost::asio::io_context& loop);

}  // namespace reconciled::sim
