// SPDX-License-Identifier: Apache-2.0
// What may go (design section 7). Pure.
#pragma once

#include "base/time.hpp"

namespace reconciled {

/// Consumption rows with retain_until before this may go. `now` is the database's; the margin keeps
/// honest late admissions from being refused, it is the mark that makes the deletion safe.
inline DatabaseTime cut_off(DatabaseTime now, Duration cleanup_margin) {
  return now - cleanup_margin;
}

}  // namespace reconciled
