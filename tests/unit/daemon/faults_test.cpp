// SPDX-License-Identifier: Apache-2.0
// tests/faults.md and tests/cases.md say where each fault and each case is tried. A test that was
// renamed or removed is missed here.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/daemon/source_tree.hpp"

namespace reconciled::house {
namespace {

const std::filesystem::path kRoot = RECONCILED_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Tried {
  std::string file;
  std::string title;
};

/// The tests that a row's last cell names: `file` "title".
std::vector<Tried> tried_in(const std::string& cell) {
  static const std::regex pattern(R"re(`([^`]+)` "([^"]+)")re");
  std::vector<Tried> result;
  for (std::sregex_iterator one(cell.begin(), cell.end(), pattern), end; one != end; ++one)
    result.push_back({(*one)[1], std::regex_replace((*one)[2].str(), std::regex(R"(\\\|)"), "|")});
  return result;
}

using Ids = std::vector<std::string>;

/// Id and last cell of each row.
std::map<std::string, std::string> rows(const std::string& file) {
  static const std::regex row(R"(^\| ([HNBRD][0-9]+) \| .* \| (.*) \|$)");
  std::map<std::string, std::string> result;
  for (const auto& line : lines_of(text_of(kRoot / file))) {
    std::smatch found;
    if (std::regex_match(line, found, row)) result.emplace(found[1], found[2]);
  }
  return result;
}

/// Whether a title stands in the file, also where the formatter broke its literal in two.
bool holds(const std::string& file, const std::string& title) {
  const auto joined = std::regex_replace(text_of(kRoot / file), std::regex(R"("\s*\n\s*")"), "");
  return joined.find(title) != std::string::npos;
}

Ids faults() {
  Ids result{"N1", "R4", "R10"};
  for (int number = 1; number <= 20; ++number) result.push_back("H" + std::to_string(number));
  for (int number = 1; number <= 14; ++number) result.push_back("D" + std::to_string(number));
  return result;
}

/// Their numbers are not consecutive.
const Ids kCases{"B03", "B04", "B05", "B06", "B07", "B08", "B09", "B10", "B11", "B12",
                 "B14", "B15", "B17", "B32", "B33", "B34", "B35", "B36", "B42"};

void check_rows(const std::string& list, const Ids& ids) {
  const auto table = rows(list);
  for (const auto& id : ids) {
    INFO(id);
    REQUIRE(table.contains(id));
    const auto tests = tried_in(table.at(id));
    CHECK_FALSE(tests.empty());
    for (const auto& [file, title] : tests) {
      INFO(file << ": " << title);
      CHECK(holds(file, title));
    }
  }
  CHECK(table.size() == ids.size());
}

}  // namespace

TEST_CASE("each fault names a test that is there", "[house]") {
  check_rows("tests/faults.md", faults());
}

TEST_CASE("each case names a test that is there", "[house]") {
  check_rows("tests/cases.md", kCases);
}

TEST_CASE("a test that is not there is missed", "[house]") {
  const auto tests = tried_in(R"(`tests/run` "no such line of it"; `tests/none.cpp` "\| a")");
  REQUIRE(tests.size() == 2);
  CHECK(tests.at(1).title == "| a");
  for (const auto& [file, title] : tests) CHECK_FALSE(holds(file, title));
}

}  // namespace reconciled::house
