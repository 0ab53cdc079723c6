// SPDX-License-Identifier: Apache-2.0
#include "reconcile/pointer.hpp"

#include <charconv>

namespace reconciled {
namespace {

constexpr std::string_view kEachElement = "/*";

std::optional<std::string> unescape(std::string_view token) {
  std::string text;
  for (std::size_t at = 0; at < token.size(); ++at) {
    if (token[at] != '~') {
      text.push_back(token[at]);
      continue;
    }
    if (++at == token.size() || (token[at] != '0' && token[at] != '1')) return std::nullopt;
    text.push_back(token[at] == '0' ? '~' : '/');
  }
  return text;
}

std::optional<std::size_t> as_index(std::string_view token) noexcept {
  std::size_t index = 0;
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  const auto* end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, index);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return index;
}

const json::Node* step(const json::Node& from, std::string_view token) noexcept {
  if (from.is(json::Kind::object)) return from.find(token);
  const auto index = as_index(token);
  return index ? from.at(*index) : nullptr;
}

/// The place of the token "*" in a pointer's text; npos if there is none.
std::size_t find_each(std::string_view text, std::size_t from = 0) noexcept {
  for (auto at = text.find(kEachElement, from); at != std::string_view::npos;
       at = text.find(kEachElement, at + 1)) {
    const auto after = at + kEachElement.size();
    if (after == text.size() || text[after] == '/') return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<JsonPointer> JsonPointer::parse(std::string_view text) {
  JsonPointer pointer;
  pointer.text_ = text;
  while (!text.empty()) {
    if (text.front() != '/') return std::nullopt;
    text.remove_prefix(1);
    const auto end = std::min(text.find('/'), text.size());
    auto token = unescape(text.substr(0, end));
    if (!token) return std::nullopt;
    pointer.tokens_.push_back(std::move(*token));
    text.remove_prefix(end);
  }
  return pointer;
}

const json::Node* JsonPointer::resolve(const json::Node& root) const noexcept {
  const auto* node = &root;
  for (const auto& token : tokens_) {
    node = step(*node, token);
    if (node == nullptr) return nullptr;
  }
  return node;
}

std::optional<RowsPointer> RowsPointer::parse(std::string_view text) {
  RowsPointer pointer;
  pointer.text_ = text;
  const auto each = find_each(text);
  auto list = JsonPointer::parse(text.substr(0, each));
  if (!list) return std::nullopt;
  pointer.list_ = std::move(*list);
  if (each == std::string_view::npos) return pointer;
  const auto rest = text.substr(each + kEachElement.size());
  if (find_each(rest) != std::string_view::npos) return std::nullopt;
  pointer.unwrap_ = JsonPointer::parse(rest);
  if (!pointer.unwrap_) return std::nullopt;
  return pointer;
}

RowsPointer::Rows RowsPointer::resolve(const json::Node& root) const {
  Rows found;
  const auto* list = list_.resolve(root);
  if (list == nullptr) {
    found.why = "nothing at \"" + list_.text() + "\"";
  } else if (list->is(json::Kind::object) && !unwrap_) {
    found.single = true;
    found.rows.push_back(list);
  } else if (!list->is(json::Kind::array)) {
    found.why =
        std::string(describe(list->kind)) + " instead of an array at \"" + list_.text() + "\"";
  } else {
    found.rows.reserve(list->size);
    for (const auto& element : *list) {
      const auto* row = unwrap_ ? unwrap_->resolve(element) : &element;
      if (row == nullptr) {
        found.why = "an element without \"" + unwrap_->text() + "\" at \"" + list_.text() + "\"";
        break;
      }
      found.rows.push_back(row);
    }
  }
  return found;
}

}  // namespace reconciled
