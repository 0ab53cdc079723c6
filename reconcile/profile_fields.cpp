// SPDX-License-Identifier: Apache-2.0
#include "reconcile/profile_fields.hpp"

#include <algorithm>
#include <charconv>

namespace reconciled {
namespace {

/// Decimal digits without a leading zero: no sign, octal, hex, base 60 or underscore.
std::optional<std::int64_t> read_number(const yaml::Node& node) noexcept {
  const auto& text = node.text;
  if (node.kind != yaml::Kind::scalar || node.quoted) return std::nullopt;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  return value;
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const auto word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace

ProfileFields::ProfileFields(const yaml::Node& node, std::string path, ProfileFaults& faults)
    : node_(node),
      path_(std::move(path)),
      faults_(faults),
      is_mapping_(node.kind == yaml::Kind::mapping) {
  if (!is_mapping_) fault("must be a mapping of keys");
}

std::string ProfileFields::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

void ProfileFields::fault(const yaml::Node& at, std::string_view key, std::string what) {
  faults_.push_back({at.at, path_of(key), std::move(what)});
}

void ProfileFields::fault(std::string what) {
  faults_.push_back({node_.at, path_, std::move(what)});
}

const yaml::Node* ProfileFields::find(std::string_view key) {
  asked_.push_back(key);
  return node_.find(key);
}

const yaml::Node* ProfileFields::required(std::string_view key) {
  const auto* node = find(key);
  if (node == nullptr && is_mapping_) fault(node_, key, "is missing");
  return node;
}

std::optional<std::string> ProfileFields::scalar(const yaml::Node& node, std::string_view key) {
  return scalar_text(node, path_of(key), faults_);
}

std::optional<std::string> ProfileFields::filled(const yaml::Node& node, std::string_view key) {
  auto text = scalar(node, key);
  if (!text || !text->empty()) return text;
  fault(node, key, "must not be empty");
  return std::nullopt;
}

std::string ProfileFields::text(std::string_view key) {
  const auto* node = required(key);
  return node == nullptr ? std::string{} : filled(*node, key).value_or("");
}

std::optional<std::string> ProfileFields::optional_text(std::string_view key) {
  const auto* node = find(key);
  return node == nullptr ? std::nullopt : filled(*node, key);
}

std::optional<std::size_t> ProfileFields::word(std::string_view key,
                                               const std::vector<std::string_view>& words) {
  const auto* node = required(key);
  if (node == nullptr) return std::nullopt;
  const auto text = scalar(*node, key);
  if (!text) return std::nullopt;
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const auto near = yaml::nearest(*text, words);
  fault(*node, key,
        yaml::quoted(*text) + " is none of " + joined(words) +
            (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
  return std::nullopt;
}

std::optional<bool> ProfileFields::optional_flag(std::string_view key) {
  const auto* node = find(key);
  if (node == nullptr) return std::nullopt;
  const bool plain = node->kind == yaml::Kind::scalar && !node->quoted;
  if (plain && node->text == "true") return true;
  if (plain && node->text == "false") return false;
  fault(*node, key, "must be true or false");
  return std::nullopt;
}

std::optional<std::int64_t> ProfileFields::optional_number(std::string_view key, std::int64_t least,
                                                           std::int64_t most) {
  const auto* node = find(key);
  if (node == nullptr) return std::nullopt;
  const auto value = read_number(*node);
  if (value && *value >= least && *value <= most) return value;
  fault(*node, key,
        "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
            ", in plain digits");
  return std::nullopt;
}

Duration ProfileFields::duration(std::string_view key) {
  const auto* node = required(key);
  const auto text = node == nullptr ? std::nullopt : scalar(*node, key);
  if (!text) return {};
  const auto value = parse_duration(*text);
  if (!value)
    fault(*node, key, yaml::quoted(*text) + " is no duration with its unit, such as 30s or 5m");
  return value.value_or(Duration{});
}

JsonPointer ProfileFields::pointer(std::string_view key) {
  required(key);
  return optional_pointer(key).value_or(JsonPointer{});
}

std::optional<JsonPointer> ProfileFields::optional_pointer(std::string_view key) {
  const auto* node = find(key);
  const auto text = node == nullptr ? std::nullopt : scalar(*node, key);
  if (!text) return std::nullopt;
  auto pointer = JsonPointer::parse(*text);
  if (!pointer) fault(*node, key, yaml::quoted(*text) + " is no JSON pointer, such as /data/0/id");
  return pointer;
}

RowPointer ProfileFields::row_pointer(std::string_view key) {
  required(key);
  return optional_row_pointer(key).value_or(RowPointer{});
}

std::optional<RowPointer> ProfileFields::optional_row_pointer(std::string_view key) {
  const auto* node = find(key);
  const auto text = node == nullptr ? std::nullopt : scalar(*node, key);
  if (!text) return std::nullopt;
  auto pointer = RowPointer::parse(*text);
  if (!pointer) fault(*node, key, yaml::quoted(*text) + " is no JSON pointer, such as /data/0/id");
  return pointer;
}

std::vector<std::string> ProfileFields::words(std::string_view key) {
  std::vector<std::string> words;
  const auto* node = find(key);
  if (node == nullptr) return words;
  if (node->kind != yaml::Kind::sequence) {
    fault(*node, key, "must be a list, such as [succeeded]");
    return words;
  }
  for (const auto& item : node->items)
    if (auto text = filled(item, key)) words.push_back(std::move(*text));
  return words;
}

void ProfileFields::finish() {
  for (const auto& entry : node_.entries) {
    if (std::find(asked_.begin(), asked_.end(), entry.key) != asked_.end()) continue;
    const auto near = yaml::nearest(entry.key, asked_);
    faults_.push_back(
        {entry.at, path_of(entry.key),
         "unknown key" +
             (near.empty() ? std::string{} : "; did you mean " + std::string(near) + "?")});
  }
}

std::optional<std::string> scalar_text(const yaml::Node& node, const std::string& path,
                                       ProfileFaults& faults) {
  if (node.kind == yaml::Kind::scalar) return node.text;
  faults.push_back(
      {node.at, path, node.kind == yaml::Kind::null ? "has no value" : "must be a single value"});
  return std::nullopt;
}

Template read_template(std::string_view text, const yaml::Mark& at, const std::string& path,
                       ProfileFaults& faults) {
  auto parsed = Template::parse(text);
  if (auto* ready = std::get_if<Template>(&parsed)) return std::move(*ready);
  faults.push_back({at, path, std::get<std::string>(parsed)});
  return {};
}

}  // namespace reconciled
