// SPDX-License-Identifier: Apache-2.0
// The body of a POST lookup: a JSON object in which the operation's values stand (design §5).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reconcile/template.hpp"

namespace reconciled {

class BodyTemplate {
 public:
  /// JSON text as it is sent, or a string's content between its quotes, to be filled in and
  /// escaped.
  using Part = std::variant<std::string, Template>;
  /// A member of the object; its value's parts make one JSON value together.
  struct Member {
    std::string name;
    std::vector<Part> value;
  };

  std::vector<Member> members;  ///< in profile order, names unique

  bool uses(TemplateValue value) const noexcept;
  const Member* find(std::string_view name) const noexcept;

  /// Appends "{…" without the closing brace, so that a page can still be named.
  std::optional<Unfillable> append_open(TemplateValues& values, std::string& json) const;
};

/// The body with one more member (no name: none) and its closing brace. `value` is JSON text.
std::string closed_body(std::string open, std::string_view name, std::string_view value);

}  // namespace reconciled
