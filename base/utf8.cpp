// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

namespace reconciled {
namespace {

/// What a first byte promises: how many bytes follow, and the range of the first of them. Overlong
/// forms, surrogates and too large code points are exactly what that range excludes (RFC 3629, 4).
struct Lead {
  unsigned char from, to;
  std::size_t following;
  unsigned char second_from, second_to;
};

constexpr Lead kLeads[] = {
    {0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f}};

/// Length of the character that starts `text`; 0 if it is not a valid one.
std::size_t character_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (const auto& lead : kLeads) {
    if (byte(0) < lead.from || byte(0) > lead.to) continue;
    if (text.size() <= lead.following) return 0;
    for (std::size_t at = 1; at <= lead.following; ++at) {
      const unsigned char from = at == 1 ? lead.second_from : 0x80;
      const unsigned char to = at == 1 ? lead.second_to : 0xbf;
      if (byte(at) < from || byte(at) > to) return 0;
    }
    return lead.following + 1;
  }
  return 0;
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) noexcept {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto length = character_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

}  // namespace reconciled
