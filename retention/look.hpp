// SPDX-License-Identifier: Apache-2.0
// One look at everything that could refuse a sweep. It writes nothing: a dry run looks the same
// way.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "retention/store.hpp"
#include "retention/terms.hpp"

namespace reconciled {

/// What was seen; what could not be seen is in `troubles`.
struct CleanupLook {
  std::optional<ServerFacts> server;
  ClockReading reading;
  std::optional<MarkFacts> mark;    ///< asked if consumption rows are to go
  std::optional<BoundFacts> bound;  ///< asked with require_bound
  std::vector<Refusal> troubles;
};

/// What the process saw at earlier looks.
struct CleanupMemory {
  std::optional<Identity> first_seen;
  std::optional<ClockReading> in_step;  ///< the newest reading that had not jumped and agreed
};

Awaitable<CleanupLook> look_around(CleanupStore& store, const HostClocks& clocks,
                                   const CleanupTerms& terms);

/// Every reason why nothing may be deleted after this look; pure.
std::vector<Refusal> judge_look(const CleanupLook& look, const CleanupMemory& memory,
                                const CleanupTerms& terms);

/// The step of the database's clock that this look saw, zero if it is no larger than allowed. The
/// memory takes a look in whose clocks agree: slow drift over days is no jump. A jump stands until
/// it is undone or somebody restarts; what was seen on a wrong clock is nothing to compare with.
Duration remember(CleanupMemory& memory, const CleanupLook& look, const CleanupTerms& terms);

Refusal trouble(std::string_view doing, const sql::Error& error);

}  // namespace reconciled
