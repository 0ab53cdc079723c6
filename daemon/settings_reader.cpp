// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/overloaded.hpp"
#include "daemon/settings_table.hpp"

namespace reconciled {
namespace {

using yaml::Kind;

const Setting* find_setting(std::string_view key) {
  const auto settings = all_settings();
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& setting) { return setting.key == key; });
  return found == settings.end() ? nullptr : &*found;
}

bool is_section(std::string_view name) {
  const auto settings = all_settings();
  return !name.empty() && std::any_of(settings.begin(), settings.end(), [&](const auto& setting) {
    return section_of(setting) == name;
  });
}

/// The names that may stand in `section`; those of the top level where it is empty.
std::vector<std::string_view> names_in(std::string_view section) {
  std::vector<std::string_view> names;
  for (const auto& setting : all_settings()) {
    const auto own = section_of(setting);
    const auto name = own == section ? name_of(setting) : section.empty() ? own : "";
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

/// The known key that was probably meant: a name like it in the same section, or else the same name
/// in another section.
std::string suggestion(std::string_view section, std::string_view name) {
  const auto prefix = section.empty() ? std::string() : std::string(section) + ".";
  if (const auto near = yaml::nearest(name, names_in(section)); !near.empty())
    return "; did you mean " + prefix + std::string(near) + "?";
  for (const auto& setting : all_settings()) {
    if (setting.key == name)
      return "; write " + std::string(name_of(setting)) + ": below " +
             std::string(section_of(setting)) + ":";
    const std::string_view known[] = {name_of(setting)};
    if (!yaml::nearest(name, known).empty() && !section_of(setting).empty())
      return "; did you mean " + std::string(setting.key) + "?";
  }
  return "";
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::sequence:
      return "a list";
    case Kind::mapping:
      return "a section";
    case Kind::scalar:
      return "a value";
    case Kind::null:
      return "nothing";
  }
  return "";
}

bool wants_plain(const Setting& setting) {
  return std::holds_alternative<Flag>(setting.target) ||
         std::holds_alternative<Count>(setting.target);
}

class Reader {
 public:
  explicit Reader(SettingsReading& reading) : reading_(reading) {}

  void read_root(const yaml::Node& root) {
    if (root.kind == Kind::null) return;  // read() has said so
    if (root.kind != Kind::mapping)
      return fault(root.at, "", "the file must be made of KEY: VALUE lines");
    for (const auto& entry : root.entries) {
      if (is_section(entry.key)) {
        read_section(entry);
      } else {
        read_entry("", entry);
      }
    }
  }

  void require(const yaml::Node& root) {
    for (const auto& setting : all_settings()) {
      if (!setting.required) continue;
      const auto* section = root.find(section_of(setting));
      if (section != nullptr && section->find(name_of(setting)) != nullptr) continue;
      fault(place_of_section(root, section_of(setting)), std::string(setting.key),
            "is missing and has no default: give " + std::string(type_text(setting)));
    }
  }

 private:
  static yaml::Mark place_of_section(const yaml::Node& root, std::string_view name) {
    for (const auto& entry : root.entries)
      if (entry.key == name) return entry.at;
    return {};
  }

  void read_section(const yaml::Entry& section) {
    const auto& node = section.value;
    if (node.kind == Kind::null) return;  // all of its keys are commented out
    if (node.kind != Kind::mapping)
      return fault(node.at, section.key,
                   "must be a section of keys, found " + std::string(name_of(node.kind)));
    for (const auto& entry : node.entries) read_entry(section.key, entry);
  }

  void read_entry(std::string_view section, const yaml::Entry& entry) {
    const auto key = section.empty() ? entry.key : std::string(section) + "." + entry.key;
    const auto* setting = section_has(section, entry.key) ? find_setting(key) : nullptr;
    if (setting == nullptr)
      return fault(entry.at, key, "unknown key" + suggestion(section, entry.key));
    read_value(*setting, entry);
  }

  static bool section_has(std::string_view section, std::string_view name) {
    const auto names = names_in(section);
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  void read_value(const Setting& setting, const yaml::Entry& entry) {
    const auto& node = entry.value;
    const auto key = std::string(setting.key);
    if (node.kind == Kind::null)
      return fault(entry.at, key, "has no value: give one, or remove the key");
    if (node.kind != Kind::scalar)
      return fault(node.at, key,
                   "must be one value (" + type_text(setting) + "), found " +
                       std::string(name_of(node.kind)));
    const auto shown = setting.hides ? std::string("the value") : yaml::quoted(node.text);
    if (node.quoted && wants_plain(setting))
      return fault(node.at, key,
                   shown + " is a text: write it without quotes (" + type_text(setting) + ")");
    const auto wrong = assign(reading_.settings, setting, node.text);
    if (!wrong.empty()) fault(node.at, key, shown + " " + wrong);
  }

  void fault(yaml::Mark at, std::string key, std::string what) {
    reading_.faults.push_back({at, std::move(key), std::move(what)});
  }

  SettingsReading& reading_;
};

}  // namespace

Settings default_settings(std::string_view host_name, const ListenFallback& listen) {
  Settings settings;
  for (const auto& setting : all_settings())
    if (!setting.initial.empty()) assign(settings, setting, setting.initial);
  settings.instance = host_name;
  if (listen) settings.metrics.listen = *listen;
  return settings;
}

SettingsReading read_settings(std::string_view text, std::string_view host_name,
                              const ListenFallback& listen) {
  auto document = yaml::read(text);
  SettingsReading reading{default_settings(host_name, listen), std::move(document.faults)};
  // Where the text could not be read to its end, a key that is missing may stand behind that.
  const bool is_whole = reading.faults.empty();
  Reader reader{reading};
  reader.read_root(document.root);
  if (is_whole) reader.require(document.root);
  std::stable_sort(reading.faults.begin(), reading.faults.end(),
                   [](const yaml::Fault& a, const yaml::Fault& b) { return a.at < b.at; });
  return reading;
}

}  // namespace reconciled
