// SPDX-License-Identifier: Apache-2.0
// The identifiers of an operation and of its ownership. Each is its own type, so that two of them
// cannot be swapped.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reconciled {

struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

/// Reads the 36-character form (8-4-4-4-12), either case; anything else is nullopt.
std::optional<Uuid> parse_uuid(std::string_view text) noexcept;
/// The canonical lower-case form.
std::string to_string(const Uuid& uuid);

/// One intended credit; its text is also the provider's idempotency key (design §1).
struct OperationId {
  Uuid value;
  friend auto operator<=>(const OperationId&, const OperationId&) = default;
};
inline std::string to_string(const OperationId& id) { return to_string(id.value); }

/// Set by a takeover, cleared when ownership is given up. Fences where version numbers repeat after
/// a failover.
struct OwnerToken {
  Uuid value;
  friend auto operator<=>(const OwnerToken&, const OwnerToken&) = default;
};
inline std::string to_string(const OwnerToken& token) { return to_string(token.value); }

/// 16 bytes from the kernel's generator, as a version 4 uuid. Throws std::system_error where there
/// is none.
OwnerToken random_owner_token();

/// Starts at 1 with the service, raised by each takeover, never lowered.
struct OwnerVersion {
  std::int64_t value = 1;
  friend auto operator<=>(const OwnerVersion&, const OwnerVersion&) = default;
};

}  // namespace reconciled

template <>
struct std::hash<reconciled::OperationId> {
  std::size_t operator()(const reconciled::OperationId& id) const noexcept {
    std::size_t mixed = 0;
    for (const auto byte : id.value.bytes) mixed = mixed * 131 + byte;
    return mixed;
  }
};
