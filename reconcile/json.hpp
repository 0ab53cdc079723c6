// SPDX-License-Identifier: Apache-2.0
// JSON as the provider wrote it: every number keeps its text, so that money never passes through a
// double, and two members of one name are a fault instead of a choice (design §5).
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
/// "null", "a boolean", … for messages.
std::string_view describe(Kind kind) noexcept;

/// One value inside a Document, which lays a value's children out right behind it. Never copy a
/// Node: its children would stay behind.
struct Node {
  Kind kind = Kind::null;
  std::uint32_t size = 0;  ///< elements of an array, members of an object
  std::uint32_t skip =
      1;                  ///< nodes of this value, itself included: the next sibling is this + skip
  std::string_view name;  ///< of a member of an object
  std::string_view text;  ///< of a string, decoded; of a number, as written; true or false

  bool is(Kind wanted) const noexcept { return kind == wanted; }
  /// The member of an object; null if there is none or this is no object.
  const Node* find(std::string_view member) const noexcept;
  /// The element of an array; null if there is none or this is no array.
  const Node* at(std::size_t index) const noexcept;
  /// The text of a string, number or boolean; nullopt for null and containers.
  std::optional<std::string_view> scalar() const noexcept;

  class Iterator {
   public:
    Iterator(const Node* node, std::uint32_t left) noexcept : node_(node), left_(left) {}
    const Node& operator*() const noexcept { return *node_; }
    Iterator& operator++() noexcept {
      node_ += node_->skip;
      --left_;
      return *this;
    }
    bool operator!=(const Iterator& other) const noexcept { return left_ != other.left_; }

   private:
    const Node* node_;
    std::uint32_t left_;
  };
  /// The children in order; none for a scalar.
  Iterator begin() const noexcept { return {this + 1, size}; }
  Iterator end() const noexcept { return {nullptr, 0}; }
};

/// A whole text, read once. Its strings point into the text it was read from, which must outlive
/// it.
class Document {
 public:
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;
  Document(const Document&) = delete;  // a copy's strings would point into the original
  Document& operator=(const Document&) = delete;
  ~Document() = default;

  const Node& root() const noexcept { return nodes_.front(); }

 private:
  friend class Builder;
  Document() = default;
  std::vector<Node> nodes_;                 // in document order; never empty once read
  std::forward_list<std::string> decoded_;  // texts that held an escape; their addresses stay
};

inline constexpr std::size_t kMostDepth = 64;

/// `document`, or `why` not; `why` holds nothing of the text.
struct ReadResult {
  std::optional<Document> document;
  std::string why;
};

/// Reads one RFC 8259 text. Refused: anything behind it, invalid UTF-8, two members of one name in
/// an object, more than kMostDepth levels, an exponent beyond 32 bits. A leading byte order mark is
/// dropped, which the RFC allows. Never throws for what the text holds.
ReadResult read(std::string_view text);

}  // namespace reconciled::json
