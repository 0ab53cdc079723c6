// SPDX-License-Identifier: Apache-2.0
// What an answer says before its body is read, of a lookup as of a create: pure (design §5,
// "HTTP").
#pragma once

#include <string_view>

#include "reconcile/finding.hpp"
#include "reconcile/http.hpp"

namespace reconciled {

/// application/json or application/…+json, whatever its parameters.
bool is_json(std::string_view content_type);

/// `name` in lower case.
bool has_header(const HttpAnswer& answer, std::string_view name);

/// The answer's Retry-After as sent; nullopt for none that is readable.
std::optional<Duration> retry_after_of(const HttpAnswer& answer);

/// What a status says about the provider, beside the operation.
ProviderSignal signal_of(const HttpAnswer& answer);

}  // namespace reconciled
