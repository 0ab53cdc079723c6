// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace reconciled {

/// One fact of an event; the names are the column names of the contract (design section 10).
struct Field {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};

inline bool is_empty(const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  return text != nullptr && text->empty();
}

/// The value as it is, unquoted.
inline std::string plain_text(const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  return text != nullptr ? *text : std::to_string(std::get<std::int64_t>(field.value));
}

}  // namespace reconciled
