// SPDX-License-Identifier: Apache-2.0
#include "base/ids.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace reconciled {
namespace {

constexpr std::size_t kUuidLength = 36;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_dash_place(std::size_t at) noexcept { return at == 8 || at == 13 || at == 18 || at == 23; }

}  // namespace

std::optional<Uuid> parse_uuid(std::string_view text) noexcept {
  if (text.size() != kUuidLength) return std::nullopt;
  Uuid uuid;
  std::size_t nibble = 0;
  for (std::size_t at = 0; at < kUuidLength; ++at) {
    if (is_dash_place(at)) {
      if (text[at] != '-') return std::nullopt;
      continue;
    }
    const int digit = hex_digit(text[at]);
    if (digit < 0) return std::nullopt;
    auto& byte = uuid.bytes[nibble / 2];
    byte = static_cast<std::uint8_t>((byte << 4) | digit);
    ++nibble;
  }
  return uuid;
}

std::string to_string(const Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(kUuidLength);
  for (const auto byte : uuid.bytes) {
    if (is_dash_place(text.size())) text.push_back('-');
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

OwnerToken random_owner_token() {
  OwnerToken token;
  auto& bytes = token.value.bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4, RFC 9562
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);  // its variant
  return token;
}

}  // namespace reconciled
