// SPDX-License-Identifier: Apache-2.0
// The judge of a history: what was recorded, held against what the provider really has.
#pragma once

#include "tests/sim/history.hpp"
#include "tests/sim/processes.hpp"

namespace reconciled::sim {

/// `clock_stepped`: the database's clock moved by hours, so that a window may have closed too
/// early; then only what does not depend on it is judged.
Outcome verify(const World& world, bool clock_stepped);

}  // namespace reconciled::sim
