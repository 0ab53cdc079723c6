// SPDX-License-Identifier: Apache-2.0
// A statement's arguments, in the text form of the extended protocol. They are values, never part
// of the SQL text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::sql {

/// One array argument: elements in order, each quoted, so that no element can be mistaken for NULL
/// or for syntax.
class Array {
 public:
  Array& add(std::string_view element);
  Array& add(std::int64_t element);
  Array& add_null();

  /// The finished literal, {"a","b",NULL}.
  std::string literal() && { return std::move(text_.append(text_.empty() ? "{}" : "}")); }

 private:
  void separate();
  std::string text_;
};

class Parameters {
 public:
  Parameters& add(std::string value) {
    values_.emplace_back(std::move(value));
    return *this;
  }
  Parameters& add(std::int64_t value) { return add(std::to_string(value)); }
  Parameters& add(Array&& value) { return add(std::move(value).literal()); }
  Parameters& add_null() {
    values_.emplace_back(std::nullopt);
    return *this;
  }

  const std::vector<std::optional<std::string>>& values() const noexcept { return values_; }

 private:
  std::vector<std::optional<std::string>> values_;
};

}  // namespace reconciled::sql
