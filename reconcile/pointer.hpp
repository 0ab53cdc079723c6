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

/// Where the rows are: a pointer to an array, or to one object; or with one * as a token, each
/// element of the array before it, unwrapped by what follows ("/list/*/credit").
class RowsPointer {
 public:
  /// nullopt for what JsonPointer refuses, and for a second *.
  static std::optional<RowsPointer> parse(std::string_view text);

  struct Rows {
    std::vector<const json::Node*> rows;
    bool single = false;  ///< the pointer names one object, which is the only row
    std::string why;      ///< not empty: what it names is missing or of another type
  };
  /// An element that cannot be unwrapped is a missing value: the answer is not as declared, and
  /// what it does not show might be ours.
  Rows resolve(const json::Node& root) const;

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  JsonPointer list_;
  std::optional<JsonPointer> unwrap_;
};

}  // namespace reconciled
