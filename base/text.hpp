// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace reconciled {

/// A JSON string literal, quotes included. Bytes that are no valid UTF-8 become U+FFFD, so that the
/// result always is.
std::string json_quoted(std::string_view text);

}  // namespace reconciled
