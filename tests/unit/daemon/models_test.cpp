// SPDX-License-Identifier: Apache-2.0
// The models of tests/models are about this code: what they quote of the SQL stands there, and what
// their heads promise is what tests/models/run searches for.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/daemon/source_tree.hpp"

namespace reconciled::house {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = RECONCILED_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> models() {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(kRoot / "tests/models"))
    if (entry.path().extension() == ".pml") result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  return result;
}

/// SQL without its comments, each run of blanks as one.
std::string plain_sql(const std::string& text) {
  const auto bare = std::regex_replace(text, std::regex(R"(--[^\n]*)"), "");
  return std::regex_replace(bare, std::regex(R"(\s+)"), " ");
}

/// All that the groups of a pattern match, in the order of the text.
std::vector<std::vector<std::string>> all(const std::string& text, const char* pattern) {
  const std::regex regex(pattern);
  std::vector<std::vector<std::string>> result;
  for (std::sregex_iterator one(text.begin(), text.end(), regex), end; one != end; ++one)
    result.emplace_back(std::next(one->begin()), one->end());
  return result;
}

/// The file and the text of each quotation.
std::vector<std::vector<std::string>> quotes(const std::string& model) {
  return all(model, R"( \* (sql/[a-z_/]+\.sql): ([^\n]+)\n)");
}

std::string formula(const std::string& model, const std::string& claim) {
  const auto found = all(model, ("\nltl " + claim + R"( \{ (.*) \}\n)").c_str());
  return found.size() == 1 ? found[0][0] : "";
}

}  // namespace

TEST_CASE("what a model quotes of the SQL stands there", "[house]") {
  REQUIRE(models().size() == 3);
  for (const auto& path : models()) {
    INFO(path.filename());
    const auto quoted = quotes(text_of(path));
    CHECK(quoted.size() >= 6);
    for (const auto& quote : quoted) {
      INFO(quote[0] << ": " << quote[1]);
      CHECK(plain_sql(text_of(kRoot / quote[0])).find(quote[1]) != std::string::npos);
    }
  }
}

TEST_CASE("each claim of a model is searched for, and has a bug that breaks it", "[house]") {
  for (const auto& path : models()) {
    INFO(path.filename());
    const auto model = text_of(path);
    const auto bugs = all(model, R"( \* bug: ([A-Z_]+) breaks ([a-z_]+) )");
    const auto claims = all(model, R"( \* claim: ([a-z_]+) )");
    CHECK(claims.size() >= 4);
    for (const auto& claim : claims) {
      INFO(claim[0]);
      const auto says = formula(model, claim[0]);
      CHECK_FALSE(says.empty());
      CHECK(std::ranges::any_of(bugs, [&](const auto& bug) { return bug[1] == claim[0]; }));
      if (says.find("<>") != std::string::npos) continue;
      const auto flag = all(says, "([a-z_]+)").at(0)[0];
      CHECK(formula(model, "safe").find(flag) != std::string::npos);
    }
  }
}

TEST_CASE("each switch of a model is a bug that its head names", "[house]") {
  for (const auto& path : models()) {
    INFO(path.filename());
    const auto model = text_of(path);
    std::set<std::string> named{"PUNCTUAL"};
    std::set<std::string> used;
    for (const auto& bug : all(model, R"( \* bug: ([A-Z_]+) breaks )")) named.insert(bug[0]);
    for (const auto& one : all(model, R"(\n#ifn?def ([A-Z_]+))")) used.insert(one[0]);
    CHECK(used == named);
  }
}

}  // namespace reconciled::house
