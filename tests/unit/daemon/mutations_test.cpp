// SPDX-License-Identifier: Apache-2.0
// tests/mutations/list breaks lines by their text: one that was changed since is missed here, and
// not only when somebody has the hour that tests/mutations/run takes.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/daemon/source_tree.hpp"

namespace reconciled::house {
namespace {

constexpr std::size_t kFewest = 25;

struct Mutation {
  std::string name, file, was, is, by;
};

std::string text_of(const std::string& path) {
  std::ifstream file(std::filesystem::path(RECONCILED_SOURCE_DIR) / path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Mutation> mutations() {
  std::vector<Mutation> all;
  for (const auto& line : lines_of(text_of("tests/mutations/list"))) {
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("was "))
      all.back().was = line.substr(4);
    else if (line.starts_with("is"))
      all.back().is = line.size() > 4 ? line.substr(4) : "";
    else if (line.starts_with("by"))
      all.back().by = line.substr(4);
    else
      std::istringstream(line) >> all.emplace_back().name >> all.back().file;
  }
  return all;
}

TEST_CASE("each mutation still names one line and a test", "[house]") {
  const auto all = mutations();
  REQUIRE(all.size() >= kFewest);
  std::set<std::string> names;
  for (const auto& mutation : all) {
    INFO(mutation.name << " in " << mutation.file << ": " << mutation.was);
    CHECK(names.insert(mutation.name).second);
    CHECK(mutation.was != mutation.is);
    CHECK_FALSE(mutation.was.empty());
    std::size_t seen = 0;
    for (const auto& line : lines_of(text_of(mutation.file)))
      seen += line.find(mutation.was) != std::string::npos ? 1 : 0;
    CHECK(seen == 1);
    const auto room = mutation.by.substr(mutation.by.find('_') + 1);
    const auto at = "tests/" + mutation.by.substr(0, mutation.by.find('_')) + "/" + room;
    CHECK((std::filesystem::exists(std::filesystem::path(RECONCILED_SOURCE_DIR) / (at + ".cpp")) ||
           std::filesystem::exists(std::filesystem::path(RECONCILED_SOURCE_DIR) / at)));
  }
}

}  // namespace
}  // namespace reconciled::house
