// SPDX-License-Identifier: Apache-2.0
// The manual says what the code does: keys, defaults, types and options are compared both ways.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>

#include "daemon/command_line.hpp"
#include "daemon/settings_table.hpp"
#include "daemon/verb_rows.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

std::string page(const std::string& name) {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/man/" + name);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Key to what stands below its ".It Ic KEY", line ends as blanks.
std::map<std::string, std::string> documented_keys() {
  std::map<std::string, std::string> keys;
  std::istringstream lines(page("reconciled.yaml.5"));
  std::string* text = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".It Ic ")) {
      text = &keys[line.substr(7)];
    } else if (line.starts_with(".El")) {
      text = nullptr;
    } else if (text != nullptr) {
      *text += line + " ";
    }
  }
  return keys;
}

std::set<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.insert((*match)[1].str());
  return found;
}

}  // namespace

TEST_CASE("the manual describes each key with its type, default and reload, and no other key",
          "[manual]") {
  const auto documented = documented_keys();
  CHECK(documented.size() == all_settings().size());
  for (const auto& setting : all_settings()) {
    INFO(setting.key);
    const auto found = documented.find(std::string(setting.key));
    REQUIRE(found != documented.end());
    const auto facts = "Type: " + type_text(setting) +
                       ". Default: " + std::string(default_text(setting)) + ". " +
                       (setting.on_reload == OnReload::applied ? "Reload applies it."
                                                               : "A change needs a restart.");
    CHECK(found->second.find(facts) != std::string::npos);
    auto help = std::string(setting.help);
    if (const auto quotes = help.find("\"\""); quotes != std::string::npos)
      help.replace(quotes, 2, "\\(dq\\(dq");
    CHECK(found->second.starts_with(help));
  }
}

TEST_CASE("manual and help name the same options", "[manual]") {
  const auto in_help = all_matches(help_text(), "--([a-z][a-z-]*)");
  CHECK(in_help.size() == 23);
  const auto manual = page("reconciled.8") + page("reconciled-verbs.8");
  CHECK(all_matches(manual, "\\.It Fl Fl ([a-z-]+)") == in_help);
  CHECK(all_matches(manual, "Fl Fl ([a-z-]+)") == in_help);
}

TEST_CASE("each option in the help is understood", "[manual]") {
  const std::map<std::string, const char*> values = {
      {"config", "f"},
      {"output", "json"},
      {"probe-profile", "f"},
      {"operation-json", "f"},
      {"operation", "6fa459ea-ee8a-4ca4-894e-db77e160355e"},
      {"status", "Failed"},
      {"reason", "r"},
      {"older-than", "2h"},
      {"account", "A-1"},
      {"limit", "2"},
      {"as", "Failed"},
      {"reference", "r"},
      {"expect-version", "2"}};
  const std::set<std::string> of_list = {"status", "older-than", "account", "limit"};
  const std::set<std::string> of_resolve = {"as", "reference", "expect-version"};
  for (const auto& name : all_matches(help_text(), "--([a-z][a-z-]*)")) {
    INFO(name);
    const auto option = "--" + name;
    std::vector<const char*> arguments{option.c_str()};
    if (values.contains(name)) arguments.push_back(values.at(name));
    // The options of a verb make sense together only.
    const auto verb = [&](const char* way) {
      arguments = {"resubmit", way, "--reason", "checked"};
    };
    if (name == "enable" || name == "reason") verb("--enable");
    if (name == "disable") verb("--disable");
    if (name == "output" || name == "no-lookup") arguments.push_back("--dry-run");
    if (name.starts_with("operation") || name == "send")
      arguments.insert(arguments.end(), {"--probe-profile", "f"});
    if (name == "probe-profile" || name == "send")
      arguments.insert(arguments.end(), {"--operation-json", "f"});
    if (of_list.contains(name)) arguments.insert(arguments.begin(), "list");
    if (of_resolve.contains(name)) {
      arguments.insert(arguments.begin(), "resolve");
      arguments.push_back("6fa459ea-ee8a-4ca4-894e-db77e160355e");
      for (const auto* needed : {"--as=Failed", "--reason=r", "--expect-version=2"})
        if (!std::string(needed).starts_with(option + "=")) arguments.push_back(needed);
    }
    const auto parsed = parse_command_line(arguments);
    const auto* usage = std::get_if<Usage>(&parsed);
    CHECK((usage == nullptr || usage->code == ExitCode::done));
  }
}

TEST_CASE("the manual names each field of the verbs' JSON", "[manual]") {
  const auto text = page("reconciled-verbs.8");
  const auto json = text.substr(text.find(".Sh JSON"));
  const auto entry = [&](const std::string& verb) {
    const auto from = json.find(".It Cm " + verb);
    REQUIRE(from != std::string::npos);
    return json.substr(from, json.find("\n.It", from) - from);
  };
  const auto names_all = [](const std::string& where, std::span<const Column> columns) {
    for (const auto& column : columns) {
      CAPTURE(column.name);
      CHECK(std::regex_search(where, std::regex("[ \n]" + std::string(column.name) + "[,;. \n]")));
    }
  };
  names_all(entry("list"), list_columns());
  names_all(entry("show"), operation_columns());
  names_all(entry("show"), evidence_columns());
  names_all(entry("show") + entry("check"), check_columns());
}

TEST_CASE("manual and help name the same exit codes", "[manual]") {
  const auto in_manual = all_matches(page("reconciled.8"), "\\.It ([0-9]+)\n");
  CHECK(in_manual == std::set<std::string>{"0", "1", "64", "65", "69", "70", "75", "77", "78"});
  for (const auto& code : in_manual)
    CHECK(std::regex_search(help_text(), std::regex(" " + code + "[ \\n]")));
}
