// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace reconciled {

/// How many leading bytes of `text` are whole, valid UTF-8 characters (RFC 3629: no overlong form,
/// no surrogate, nothing beyond U+10FFFF). Equal to text.size() if all of it is.
std::size_t valid_utf8_prefix(std::string_view text) noexcept;

inline bool is_utf8(std::string_view text) noexcept {
  return valid_utf8_prefix(text) == text.size();
}

}  // namespace reconciled
