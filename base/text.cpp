// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace reconciled {
namespace {

constexpr char kReplacement[] = "\xef\xbf\xbd";

/// What stands for itself: most text is nothing else.
constexpr bool is_plain(char c) noexcept { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

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
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '"';
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    quoted += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto valid = valid_utf8_prefix(text);
    for (const char c : text.substr(0, valid)) append_quoted(quoted, c);
    if (valid < text.size()) quoted += kReplacement;
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return quoted + '"';
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto valid = valid_utf8_prefix(text);
    for (const char c : text.substr(0, valid)) {
      if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte == 0x7f)
        shown += kReplacement;
      else
        shown += c;
    }
    if (valid < text.size()) shown += kReplacement;
    text.remove_prefix(std::min(valid + 1, text.size()));
  }
  return shown;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string lines;
  std::size_t used = indent;
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    const bool first = used == indent;
    if (!first && used + 1 + word.size() > width) {
      lines += '\n' + std::string(indent, ' ');
      used = indent;
    } else if (!first) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return lines;
}

}  // namespace reconciled
