// SPDX-License-Identifier: Apache-2.0
// Filling templates into a URL. What the encoding lets through is what decides where a request
// goes, so all of it is here.
#include <algorithm>

#include "reconcile/template.hpp"

namespace reconciled {
namespace {

bool is_alphanumeric(char c) noexcept {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_hex(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}
bool is_one_of(char c, std::string_view set) noexcept {
  return set.find(c) != std::string_view::npos;
}
bool is_unreserved(char c) noexcept { return is_alphanumeric(c) || is_one_of(c, "-._~"); }
/// RFC 3986's pchar, without the percent sign, and the slash.
bool may_stand_in_path(char c) noexcept {
  return is_unreserved(c) || is_one_of(c, "!$&'()*+,;=:@/");
}

/// Of a segment as it is sent. A server decodes before it looks for dots.
bool is_dots(std::string_view segment) {
  std::string decoded;
  for (std::size_t at = 0; at < segment.size(); ++at) {
    const auto rest = segment.substr(at);
    const bool dot = rest.starts_with("%2e") || rest.starts_with("%2E");
    decoded.push_back(dot ? '.' : rest.front());
    if (dot) at += 2;
  }
  return decoded == "." || decoded == "..";
}

std::string fault_of_literal(std::string_view literal) {
  for (std::size_t at = 0; at < literal.size(); ++at) {
    if (literal[at] == '%') {
      if (at + 2 >= literal.size() || !is_hex(literal[at + 1]) || !is_hex(literal[at + 2]))
        return "a % that two hexadecimal digits do not follow";
    } else if (literal[at] == '?' || literal[at] == '#') {
      return "a path ends before ? and #; put parameters under query";
    } else if (!may_stand_in_path(literal[at])) {
      return "a character that must be percent-encoded in a path";
    }
  }
  return {};
}

template <class Function>
void for_each_segment(std::string_view path, Function function) {
  for (;;) {
    const auto end = std::min(path.find('/'), path.size());
    function(path.substr(0, end));
    if (end == path.size()) return;
    path.remove_prefix(end + 1);
  }
}

}  // namespace

void append_percent_encoded(std::string_view text, std::string& url) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (const char c : text) {
    if (is_unreserved(c)) {
      url.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    url.push_back('%');
    url.push_back(kDigits[byte >> 4]);
    url.push_back(kDigits[byte & 15]);
  }
}

std::string fault_of_path(const Template& path) {
  // A value stands as a letter here: what it may turn a segment into is checked when it is known.
  std::string shape;
  for (const auto& part : path.parts()) {
    const auto* literal = std::get_if<std::string>(&part);
    if (literal == nullptr) {
      shape.push_back('v');
      continue;
    }
    if (auto fault = fault_of_literal(*literal); !fault.empty()) return fault;
    shape += *literal;
  }
  if (!shape.starts_with('/')) return "a path starts with /";
  std::string fault;
  for_each_segment(shape, [&](std::string_view segment) {
    if (is_dots(segment)) fault = "a path segment . or .. leads elsewhere";
  });
  if (shape.find("//") != std::string::npos) fault = "an empty path segment";
  return fault;
}

std::optional<Unfillable> append_path(const Template& path, TemplateValues& values,
                                      std::string& url) {
  const auto start = url.size();
  for (const auto& part : path.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      url += *literal;
      continue;
    }
    const auto& value = std::get<Template::Value>(part);
    const auto text = values.text(value);
    if (!text) return Unfillable{value.name, {}};
    append_percent_encoded(*text, url);
  }
  bool unsafe = false;
  for_each_segment(std::string_view(url).substr(start),
                   [&](std::string_view segment) { unsafe = unsafe || is_dots(segment); });
  if (unsafe) return Unfillable{{}, "a value makes a path segment . or .., which is not sent"};
  return std::nullopt;
}

std::optional<Unfillable> append_text(const Template& text, TemplateValues& values,
                                      std::string& out) {
  for (const auto& part : text.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) {
      out += *literal;
      continue;
    }
    const auto& value = std::get<Template::Value>(part);
    const auto filled = values.text(value);
    if (!filled) return Unfillable{value.name, {}};
    out += *filled;
  }
  return std::nullopt;
}

std::optional<Unfillable> append_query_text(const Template& text, TemplateValues& values,
                                            std::string& url) {
  std::string plain;
  auto unfillable = append_text(text, values, plain);
  append_percent_encoded(plain, url);
  return unfillable;
}

}  // namespace reconciled
