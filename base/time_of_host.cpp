// SPDX-License-Identifier: Apache-2.0
#include "base/time_of_host.hpp"

namespace reconciled {

HostTime host_time() {
  return {std::chrono::floor<Duration>(std::chrono::system_clock::now().time_since_epoch())};
}

}  // namespace reconciled
