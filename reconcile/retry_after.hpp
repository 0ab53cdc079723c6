// SPDX-License-Identifier: Apache-2.0
// Reading Retry-After (RFC 9110, 10.2.3) without a clock of our own (design §5, G10).
#pragma once

#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace reconciled {

/// How long the provider asks us to wait. `value`: whole seconds, or an HTTP date, which counts
/// from the same answer's Date header (`date_header`): both are the provider's clock, so that ours
/// may be wrong. A date that has passed is 0s. nullopt for anything else: a sign, a fraction,
/// words, more than a hundred years, or a date without a readable Date header beside it.
std::optional<Duration> parse_retry_after(std::string_view value, std::string_view date_header);

/// What is really waited: between 1s and `at_most` (recovery.look_again_at_most; at least 1s), and
/// 1s where nothing readable was said. So neither a zero makes a hot loop, nor an epoch a wait of
/// decades.
Duration clamp_retry_after(std::optional<Duration> asked, Duration at_most);

}  // namespace reconciled
