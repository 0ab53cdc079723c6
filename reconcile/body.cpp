// SPDX-License-Identifier: Apache-2.0
#include "reconcile/body.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace reconciled {

bool BodyTemplate::uses(TemplateValue value) const noexcept {
  return std::any_of(members.begin(), members.end(), [&](const Member& member) {
    return std::any_of(member.value.begin(), member.value.end(), [&](const Part& part) {
      const auto* text = std::get_if<Template>(&part);
      return text != nullptr && text->uses(value);
    });
  });
}

const BodyTemplate::Member* BodyTemplate::find(std::string_view name) const noexcept {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}

std::optional<Unfillable> BodyTemplate::append_open(TemplateValues& values,
                                                    std::string& json) const {
  json.push_back('{');
  for (const auto& member : members) {
    if (json.back() != '{') json.push_back(',');
    json += json_quoted(member.name) + ":";
    for (const auto& part : member.value) {
      if (const auto* literal = std::get_if<std::string>(&part)) {
        json += *literal;
        continue;
      }
      const auto& filled = std::get<Template>(part);
      std::string text;
      if (auto unfillable = append_text(filled, values, text)) return unfillable;
      json += filled.is_number() ? text : json_quoted(text);
    }
  }
  return std::nullopt;
}

std::string closed_body(std::string open, std::string_view name, std::string_view value) {
  if (!name.empty()) {
    if (open.back() != '{') open.push_back(',');
    open += json_quoted(name) + ":";
    open += value;
  }
  open.push_back('}');
  return open;
}

}  // namespace reconciled
