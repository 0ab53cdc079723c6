// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.hpp"

namespace reconciled {

/// A moment on the host's wall clock. It decides nothing: it may stop a deletion, and never allows
/// one (design G10).
struct HostTime {
  Duration since_epoch{};
  friend auto operator<=>(const HostTime&, const HostTime&) = default;
};

HostTime host_time();

}  // namespace reconciled
