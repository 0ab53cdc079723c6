// SPDX-License-Identifier: Apache-2.0
// The journal's catalog, the manual and the code name the same events, both ways.
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "daemon/event_table.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/daemon/source_tree.hpp"

namespace reconciled::house {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/" + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// MESSAGE_ID to its entry, lines joined by blanks.
std::map<std::string, std::string> catalog() {
  std::map<std::string, std::string> entries;
  std::string* entry = nullptr;
  for (const auto& line : lines_of(text_of("packaging/reconciled.catalog"))) {
    if (line.starts_with("-- ")) {
      REQUIRE_FALSE(entries.contains(line.substr(3)));
      entry = &entries[line.substr(3)];
    } else if (entry != nullptr) {
      *entry += line + " ";
    }
  }
  return entries;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator one(text.begin(), text.end(), expression), end; one != end; ++one)
    found.insert((*one)[1].str());
  return found;
}

std::set<std::string> event_names() {
  std::set<std::string> names;
  for (const auto& kind : kEvents) names.emplace(kind.name);
  return names;
}

/// The daemon's own code, without the table.
std::string daemon_code() {
  std::string code;
  for (const auto& file : read_tree())
    if (room_of(file.path) == "daemon" && is_cpp(file.path) &&
        file.path != "daemon/event_table.hpp")
      code += file.text;
  return code;
}

}  // namespace

TEST_CASE("each event has its entry in the catalog, and the catalog has no other", "[events]") {
  const auto entries = catalog();
  CHECK(entries.size() == std::size(kEvents));
  for (const auto& kind : kEvents) {
    INFO(kind.name);
    const auto entry = entries.find(std::string(kind.message_id));
    REQUIRE(entry != entries.end());
    for (const auto* part : {"Subject: ", "Defined-By: reconciled", "Documentation: man:reconciled",
                             "Money at risk: ", "What to do: "})
      CHECK(entry->second.find(part) != std::string::npos);
  }
}

TEST_CASE("the catalog names only fields that some event has", "[events]") {
  const auto code = daemon_code();
  for (auto field : matches(text_of("packaging/reconciled.catalog"), "@RECONCILED_([A-Z_]+)@")) {
    std::transform(field.begin(), field.end(), field.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (field.ends_with("_usec")) field.resize(field.size() - 2);
    INFO(field);
    CHECK(code.find("{\"" + field + "\", ") != std::string::npos);
  }
}

TEST_CASE("each event of the table is told somewhere", "[events]") {
  const auto code = daemon_code();
  for (const auto& name : event_names()) {
    INFO(name);
    CHECK(code.find("\"" + name + "\"") != std::string::npos);
  }
}

TEST_CASE("the manual's section on events names each of them and no other", "[events]") {
  const auto page = text_of("man/reconciled-monitoring.7");
  const auto from = page.find(".Sh EVENTS");
  const auto section = page.substr(from, page.find("\n.Sh ", from) - from);
  CHECK(matches(section, "\\.It ([a-z_]+)\n") == event_names());
}

}  // namespace reconciled::house
