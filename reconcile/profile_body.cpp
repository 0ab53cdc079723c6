// SPDX-License-Identifier: Apache-2.0
// The profile's `lookup.body`: JSON written down in YAML.
#include "base/decimal.hpp"
#include "base/text.hpp"
#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

/// Writes the parts of one member's value.
class ValueReader {
 public:
  ValueReader(std::vector<BodyTemplate::Part>& parts, ProfileFaults& faults)
      : parts_(parts), faults_(faults) {}

  void read(const yaml::Node& node, const std::string& path) {
    switch (node.kind) {
      case yaml::Kind::null:
        return literal("null");
      case yaml::Kind::scalar:
        return scalar(node, path);
      case yaml::Kind::sequence:
        return sequence(node, path);
      case yaml::Kind::mapping:
        return mapping(node, path);
    }
  }

 private:
  void literal(std::string_view json) {
    auto* text = parts_.empty() ? nullptr : std::get_if<std::string>(&parts_.back());
    if (text != nullptr)
      *text += json;
    else
      parts_.emplace_back(std::string(json));
  }

  void scalar(const yaml::Node& node, const std::string& path) {
    const auto& text = node.text;
    const bool number = !node.quoted && Decimal::parse(text).has_value();
    if (number || (!node.quoted && (text == "true" || text == "false"))) return literal(text);
    constexpr std::string_view kNumberLike = "-+.0123456789";
    if (!node.quoted && kNumberLike.find(text.front()) != std::string_view::npos)
      faults_.push_back({node.at, path, "is no JSON number; put it in quotes if it is a text"});
    auto filled = read_template(text, node.at, path, faults_);
    if (filled.is_literal())
      literal(json_quoted(text));
    else
      parts_.emplace_back(std::move(filled));
  }

  void sequence(const yaml::Node& node, const std::string& path) {
    literal("[");
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) literal(",");
      read(node.items[i], path + "[" + std::to_string(i) + "]");
    }
    literal("]");
  }

  void mapping(const yaml::Node& node, const std::string& path) {
    literal("{");
    for (const auto& entry : node.entries) {
      if (&entry != &node.entries.front()) literal(",");
      literal(json_quoted(entry.key) + ":");
      read(entry.value, path + "." + entry.key);
    }
    literal("}");
  }

  std::vector<BodyTemplate::Part>& parts_;
  ProfileFaults& faults_;
};

}  // namespace

BodyTemplate read_body(const yaml::Node& node, const std::string& path, ProfileFaults& faults) {
  BodyTemplate body;
  if (node.kind != yaml::Kind::mapping) {
    faults.push_back({node.at, path, "must be a mapping of keys"});
    return body;
  }
  for (const auto& entry : node.entries) {
    auto& member = body.members.emplace_back();
    member.name = entry.key;
    ValueReader(member.value, faults).read(entry.value, path + "." + entry.key);
  }
  return body;
}

}  // namespace reconciled
