// SPDX-License-Identifier: Apache-2.0
// JSON pointers (RFC 6901): where in an answer a profile finds what it needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconcile/json.hpp"

namespace reconciled {

class JsonPointer {
 public:
  /// nullopt unless empty or starting with a slash, and for a ~ that is neither ~0 nor ~1.
  static std::optional<JsonPointer> parse(std::string_view text);

  /// The value it names under `root`; null if there is none. An index is digits without a leading
  /// zero.
  const json::Node* resolve(const json::Node& root) const noexcept;

  /// As written, for messages.
  const std::string& text() const noexcept { return text_; }

  friend bool operator==(const JsonPointer& a, const JsonPointer& b) { return a.text_ == b.text_; }

 private:
  std::string text_;
  std::vector<std::string> tokens_;
};

/// A row of an answer, and the object around the rows: the element that the first * of the rows'
/// pointer stands for, or the whole answer where there is nothing behind a *.
struct Row {
  const json::Node* node = nullptr;
  const json::Node* around = nullptr;
};

/// A pointer into a row, or with ^ in front, into the object around it ("^/account").
class RowPointer {
 public:
  /// nullopt for what JsonPointer refuses behind the ^.
  static std::optional<RowPointer> parse(std::string_view text);

  const json::Node* resolve(const Row& row) const noexcept {
    return pointer_.resolve(around_ ? *row.around : *row.node);
  }
  /// As written, for messages.
  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  bool around_ = false;
  JsonPointer pointer_;
};

/// Where the rows are: a pointer to an array, or to one object; or with one * as a token, each
/// element of the array before it, unwrapped by what follows ("/list/*/credit"); or with a second
/// *, the elements of the arrays in those ("/*/entries/*").
class RowsPointer {
 public:
  /// nullopt for what JsonPointer refuses, and for a third *.
  static std::optional<RowsPointer> parse(std::string_view text);

  struct Rows {
    std::vector<Row> rows;
    std::size_t listed = 0;            ///< elements of the outermost array; 1 for one object
    const json::Node* last = nullptr;  ///< the last of them, unwrapped by what follows the first *
    bool single = false;               ///< the pointer names one object, which is the only row
    std::string why;                   ///< not empty: what it names is missing or of another type
  };
  /// An element that cannot be unwrapped is a missing value, and so is one without any row in its
  /// own array: the answer is not as declared, and what it does not show might be ours.
  Rows resolve(const json::Node& root) const;

  const std::string& text() const noexcept { return text_; }

 private:
  void add_element(const json::Node& element, Rows& found) const;

  std::string text_;
  JsonPointer list_;
  std::optional<JsonPointer> unwrap_;
  std::optional<JsonPointer> unwrap_inner_;  ///< behind a second *
};

}  // namespace reconciled
