// SPDX-License-Identifier: Apache-2.0
// Reading one mapping of a profile strictly: every key is asked for by name, what was not asked for
// is a fault, and so is a value of the wrong type or range. All faults are collected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/yaml.hpp"
#include "reconcile/pointer.hpp"
#include "reconcile/template.hpp"

namespace reconciled {

using ProfileFaults = std::vector<yaml::Fault>;

/// The mapping must outlive this. Every reading function notes a fault and returns nothing (or the
/// neutral value) where the value is wrong; the `optional_` and plain forms differ in what a
/// missing key means.
class ProfileFields {
 public:
  /// A node that is no mapping is a fault, and reads as an empty one without further faults.
  ProfileFields(const yaml::Node& node, std::string path, ProfileFaults& faults);

  /// The value, or a fault that it is missing.
  const yaml::Node* required(std::string_view key);
  /// The value, or null.
  const yaml::Node* find(std::string_view key);
  bool has(std::string_view key) const noexcept { return node_.find(key) != nullptr; }

  /// Texts, and the items of a list, must not be empty.
  std::string text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  /// One of `words`, as its place among them.
  std::optional<std::size_t> word(std::string_view key, const std::vector<std::string_view>& words);
  std::optional<bool> optional_flag(std::string_view key);
  std::optional<std::int64_t> optional_number(std::string_view key, std::int64_t least,
                                              std::int64_t most);
  Duration duration(std::string_view key);
  JsonPointer pointer(std::string_view key);
  std::optional<JsonPointer> optional_pointer(std::string_view key);
  /// A pointer into a row, maybe with ^ in front.
  RowPointer row_pointer(std::string_view key);
  std::optional<RowPointer> optional_row_pointer(std::string_view key);
  std::vector<std::string> words(std::string_view key);

  void fault(const yaml::Node& at, std::string_view key, std::string what);
  /// About the mapping itself.
  void fault(std::string what);

  std::string path_of(std::string_view key) const;
  const yaml::Node& node() const noexcept { return node_; }
  ProfileFaults& faults() noexcept { return faults_; }

  /// Notes every key that nothing asked for, with the nearest known one. Called last.
  void finish();

 private:
  std::optional<std::string> scalar(const yaml::Node& node, std::string_view key);
  std::optional<std::string> filled(const yaml::Node& node, std::string_view key);

  const yaml::Node& node_;
  std::string path_;
  ProfileFaults& faults_;
  bool is_mapping_;
  std::vector<std::string_view> asked_;
};

/// The text of a scalar in a list or mapping of the profile's own keys; nullopt and a fault for
/// anything else.
std::optional<std::string> scalar_text(const yaml::Node& node, const std::string& path,
                                       ProfileFaults& faults);
/// A template; an empty one and a fault where it is none.
Template read_template(std::string_view text, const yaml::Mark& at, const std::string& path,
                       ProfileFaults& faults);

}  // namespace reconciled
