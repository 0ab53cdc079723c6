// SPDX-License-Identifier: Apache-2.0
// What a provider promises in writing, as its profile quotes it (design §5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace reconciled {

/// How long the provider remembers an idempotency key.
struct KeyRetention {
  enum class Kind { finite, permanent, none, undocumented };
  Kind kind = Kind::undocumented;
  Duration length{};  ///< of a finite one
};

/// An answer that is documented as "nothing was processed": this status, and where named, this
/// header present.
struct NotProcessed {
  int status = 0;
  std::string with_header;
};

struct Guarantees {
  std::string source;  ///< where the provider documents them
  KeyRetention key_retention;
  bool concurrent_same_key_atomic = false;  ///< false: undocumented
  bool same_parameters_enforced = false;    ///< false: undocumented
  Duration visibility_lag{};                ///< how long a lookup may not show a credit yet
  Duration processing_time{};  ///< how long the provider may still be working on a create
  std::vector<NotProcessed> not_processed;

  Duration settle_time() const noexcept { return visibility_lag + processing_time; }
};

}  // namespace reconciled
