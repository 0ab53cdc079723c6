// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace reconciled {

/// A JSON string literal, quotes included. Bytes that are no valid UTF-8 become U+FFFD, so that the
/// result always is.
std::string json_quoted(std::string_view text);

/// For a person's terminal: bytes that are no valid UTF-8 and control characters, escape sequences
/// among them, become U+FFFD.
std::string printable(std::string_view text);

/// `text` in lines of at most `width` bytes, broken at blanks; every line but the first begins with
/// `indent` blanks, which count. A longer word stands alone. Without a line end at the end.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

}  // namespace reconciled
