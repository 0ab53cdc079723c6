// SPDX-License-Identifier: Apache-2.0
// The manual describes every key that the profile reader asks for, and no other; so it does with
// template values and the kinds of paging.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/catch.hpp"

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = RECONCILED_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.insert((*match)[1].str());
  return found;
}

std::string manual() { return text_of(kRoot / "man/reconciled-providers.7"); }

/// Every name that some part of the reader asks a mapping for.
std::set<std::string> keys_of_the_reader() {
  std::set<std::string> keys;
  for (const auto& entry : fs::directory_iterator(kRoot / "reconcile")) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("profile_") || !name.ends_with(".cpp")) continue;
    keys.merge(all_matches(text_of(entry.path()),
                           "\\b(?:required|find|has|text|optional_text|word|optional_flag|"
                           "optional_number|duration|pointer|optional_pointer|row_pointer|"
                           "optional_row_pointer|words)\\(\\s*\"([a-z_]+)\""));
    keys.merge(all_matches(text_of(entry.path()),
                           "\\b(?:read_section|read_rule|read_conditions|read_header_name)"
                           "\\(\\w+, \"([a-z_]+)\""));
  }
  return keys;
}

/// The parts of the dotted names of ".It Ic a.b , c.d".
std::set<std::string> keys_of_the_manual() {
  std::set<std::string> keys;
  const auto page = manual();
  for (const auto& line : all_matches(page, "\\.It Ic ([^\n]+)"))
    keys.merge(all_matches(line, "([a-z_]+)(?:\\.| |$)"));
  return keys;
}

}  // namespace

TEST_CASE("the manual describes every key of a profile and no other", "[manual]") {
  const auto known = keys_of_the_reader();
  CHECK(known.size() > 50);
  auto documented = keys_of_the_manual();
  for (const auto& key : known) {
    CAPTURE(key);
    CHECK(documented.contains(key));
  }
  for (const auto& key : documented) {
    CAPTURE(key);
    CHECK(known.contains(key));
  }
}

TEST_CASE("the manual describes every template value and every kind of paging", "[manual]") {
  const auto page = manual();
  for (const auto& value : all_matches(text_of(kRoot / "reconcile/template.cpp"),
                                       "\\{\"([a-z_]+)\", TemplateValue::")) {
    CAPTURE(value);
    CHECK(std::regex_search(page, std::regex("\\.It Li [^\n]*\\b" + value + "\\b")));
  }
  for (const auto* kind : {"none", "last_id", "cursor", "header_cursor", "page", "offset",
                           "next_url", "link_header"}) {
    CAPTURE(kind);
    CHECK(page.find(std::string("\n.It ") + kind + "\n") != std::string::npos);
  }
}

TEST_CASE("the manual names every profile that is shipped", "[manual]") {
  const auto page = manual();
  for (const auto& entry : fs::directory_iterator(kRoot / "etc/providers.d")) {
    CAPTURE(entry.path().stem().string());
    CHECK(page.find(entry.path().stem().string()) != std::string::npos);
  }
}
