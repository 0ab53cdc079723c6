// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace reconciled {
namespace {

void append_quoted(std::string& quoted, char c) {
  switch (c) {
    case '"':
      quoted += "\\\"";
      break;
    case '\\':
      quoted += "\\\\";
      break;
    case '\n':
      quoted += "\\n";
      break;
    case '\r':
      quoted += "\\r";
      break;
    case '\t':
      quoted += "\\t";
      break;
    default:
      if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f)
        quoted += fmt::format("\\u{:04x}", byte);
      else
        quoted += c;
  }
}

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const auto valid = valid_utf8_prefix(text);
    for (const char c : text.substr(0, valid)) append_quoted(quoted, c);
    if (valid < text.size()) quoted += "\xef\xbf\xbd";
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return quoted + '"';
}

}  // namespace reconciled
