// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace reconciled {

/// Uniform in 0 to 1, for jitter only. Seeded from the kernel, so that daemons started together do
/// not move together.
double chance();

}  // namespace reconciled
