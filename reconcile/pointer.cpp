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

std::optional<RowPointer> RowPointer::parse(std::string_view text) {
  RowPointer result;
  result.text_ = text;
  result.around_ = text.starts_with('^');
  auto pointer = JsonPointer::parse(text.substr(result.around_ ? 1 : 0));
  if (!pointer) return std::nullopt;
  result.pointer_ = std::move(*pointer);
  return result;
}

std::optional<RowsPointer> RowsPointer::parse(std::string_view text) {
  RowsPointer pointer;
  pointer.text_ = text;
  const auto each = find_each(text);
  auto list = JsonPointer::parse(text.substr(0, each));
  if (!list) return std::nullopt;
  pointer.list_ = std::move(*list);
  if (each == std::string_view::npos) return pointer;
  auto rest = text.substr(each + kEachElement.size());
  const auto inner = find_each(rest);
  pointer.unwrap_ = JsonPointer::parse(rest.substr(0, inner));
  if (!pointer.unwrap_) return std::nullopt;
  if (inner == std::string_view::npos) return pointer;
  rest.remove_prefix(inner + kEachElement.size());
  if (find_each(rest) != std::string_view::npos) return std::nullopt;
  pointer.unwrap_inner_ = JsonPointer::parse(rest);
  if (!pointer.unwrap_inner_) return std::nullopt;
  return pointer;
}

RowsPointer::Rows RowsPointer::resolve(const json::Node& root) const {
  Rows found;
  const auto* list = list_.resolve(root);
  if (list == nullptr) {
    found.why = "nothing at \"" + list_.text() + "\"";
  } else if (list->is(json::Kind::object) && !unwrap_) {
    found.single = true;
    found.listed = 1;
    found.last = list;
    found.rows.push_back({list, &root});
  } else if (!list->is(json::Kind::array)) {
    found.why =
        std::string(describe(list->kind)) + " instead of an array at \"" + list_.text() + "\"";
  } else if (!unwrap_) {
    found.rows.reserve(list->size);
    for (const auto& element : *list) found.rows.push_back({&element, &root});
    found.listed = list->size;
    if (!found.rows.empty()) found.last = found.rows.back().node;
  } else {
    found.listed = list->size;
    for (const auto& element : *list) {
      add_element(element, found);
      if (!found.why.empty()) break;
    }
  }
  return found;
}

void RowsPointer::add_element(const json::Node& element, Rows& found) const {
  const auto* node = unwrap_->resolve(element);
  if (node == nullptr) {
    found.why = "an element without \"" + unwrap_->text() + "\" at \"" + list_.text() + "\"";
    return;
  }
  if (!unwrap_inner_) {
    found.last = node;
    found.rows.push_back({node, &element});
    return;
  }
  found.last = &element;
  if (!node->is(json::Kind::array) || node->size == 0) {
    found.why = "an element whose \"" + unwrap_->text() + "\" lists nothing";
    return;
  }
  for (const auto& inner : *node) {
    const auto* row = unwrap_inner_->resolve(inner);
    if (row == nullptr) {
      found.why = "an element without \"" + unwrap_inner_->text() + "\" in \"" + text_ + "\"";
      return;
    }
    found.rows.push_back({row, &element});
  }
}

}  // namespace reconciled
