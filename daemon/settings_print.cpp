// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "daemon/settings_table.hpp"

namespace reconciled {
namespace {

constexpr std::size_t kColumns = 100;
constexpr char kHead[] =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# /etc/reconciled/reconciled.yaml: every key with its default; see reconciled.yaml(5).\n"
    "# A key may be left out. Durations and sizes carry units: 250ms, 30s, 5m, 24h, 7d; 64KiB, "
    "4MiB.\n"
    "# `reconciled --check-config` judges this file, SIGHUP makes a running daemon read it "
    "again.\n";

bool is_plain(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@+-";
  constexpr std::string_view kNulls[] = {"null", "Null", "NULL"};
  return !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos &&
         std::string_view("-:@").find(text.front()) == std::string_view::npos &&
         text.back() != ':' &&
         std::find(std::begin(kNulls), std::end(kNulls), text) == std::end(kNulls);
}

/// A scalar that reads back as this text. Control characters cannot occur: the checks refuse them.
std::string scalar(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + '"';
}

bool has_value(std::string_view text, const Setting& setting) {
  return !text.empty() || !setting.initial.empty();
}

std::string line_of(const Setting& setting, std::string_view value) {
  const auto indent = section_of(setting).empty() ? "" : "  ";
  if (!has_value(value, setting)) return fmt::format("{}# {}:\n", indent, name_of(setting));
  return fmt::format("{}{}: {}\n", indent, name_of(setting), scalar(value));
}

/// `text` as comment lines of at most kColumns.
std::string comment(std::string_view text, std::string_view indent) {
  std::string lines;
  auto line = std::string(indent) + "#";
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = std::string(indent) + "#";
    }
    line.append(" ").append(word);
  }
  return lines + line + "\n";
}

std::string facts(const Setting& setting) {
  return fmt::format(
      "Type: {}. Default: {}. {}.", type_text(setting), default_text(setting),
      setting.on_reload == OnReload::applied ? "Reload applies it" : "A change needs a restart");
}

template <class Print>
std::string each_in_its_section(const char* between, Print print) {
  std::string text;
  std::string_view section;
  for (const auto& setting : all_settings()) {
    if (section_of(setting) != section) {
      section = section_of(setting);
      text += fmt::format("{}{}:\n", between, section);
    }
    text += print(setting);
  }
  return text;
}

}  // namespace

std::string print_settings(const Settings& settings) {
  return each_in_its_section(
      "", [&](const Setting& setting) { return line_of(setting, value_text(settings, setting)); });
}

std::string print_default_file() {
  return kHead + std::string("\n") + each_in_its_section("\n", [](const Setting& setting) {
           const std::string_view indent = section_of(setting).empty() ? "" : "  ";
           return comment(setting.help, indent) + comment(facts(setting), indent) +
                  line_of(setting, setting.initial);
         });
}

std::vector<ChangedKey> changed_keys(const Settings& running, const Settings& wanted) {
  std::vector<ChangedKey> changed;
  for (const auto& setting : all_settings())
    if (raw_text(running, setting) != raw_text(wanted, setting))
      changed.push_back({setting.key, setting.on_reload == OnReload::needs_restart});
  return changed;
}

Settings applicable_now(const Settings& running, const Settings& wanted) {
  auto applicable = wanted;
  applicable.instance = running.instance;
  applicable.database = running.database;
  applicable.metrics = running.metrics;
  return applicable;
}

}  // namespace reconciled
