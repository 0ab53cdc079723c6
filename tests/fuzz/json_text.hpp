// SPDX-License-Identifier: Apache-2.0
// Writing JSON that was read, for reading it again.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "reconcile/json.hpp"

namespace reconciled::fuzz {

inline std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
    result += plain ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
  return result + "\"";
}

inline std::string json_text(const json::Node& node) {
  const bool object = node.is(json::Kind::object);
  if (node.is(json::Kind::null)) return "null";
  if (node.is(json::Kind::string)) return json_string(node.text);
  if (!object && !node.is(json::Kind::array)) return std::string(node.text);
  std::string result;
  for (const auto& child : node) {
    result += result.empty() ? "" : ",";
    if (object) result += json_string(child.name) + ":";
    result += json_text(child);
  }
  return object ? "{" + result + "}" : "[" + result + "]";
}

inline bool equal(const json::Node& a, const json::Node& b) {
  if (a.kind != b.kind || a.size != b.size || a.name != b.name || a.text != b.text) return false;
  auto other = b.begin();
  for (const auto& child : a) {
    if (!equal(child, *other)) return false;
    ++other;
  }
  return true;
}

}  // namespace reconciled::fuzz
