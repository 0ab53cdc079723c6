// SPDX-License-Identifier: Apache-2.0
// The house rules (design §12), as a test whose error text teaches. Each rule is also shown a
// sample that breaks it, so that a rule which never fires is found out.
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/unit/daemon/source_tree.hpp"

namespace reconciled::house {
namespace {

constexpr int kFileLinesMax = 500;
constexpr int kFunctionLinesMax = 70;
constexpr std::string_view kThisFile = "tests/unit/daemon/house_rules_test.cpp";

/// Which rooms a room may include, besides itself.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"base", {}},
    {"sql", {"base"}},
    {"reconcile", {"base"}},
    {"retention", {"base", "sql"}},
    {"recovery", {"base", "sql", "reconcile"}},
    {"daemon", {"base", "sql", "reconcile", "retention", "recovery"}}};

bool in_a_room(std::string_view path) { return kMayInclude.contains(room_of(path)); }

using Faults = std::vector<std::string>;

std::string at(const SourceFile& file, std::size_t line, const std::string& what) {
  return file.path + ":" + std::to_string(line) + ": " + what;
}

Faults import_faults(const SourceFile& file) {
  static const std::regex include(R"(^#include "([^"/]*)(/[^"]*)?")");
  Faults faults;
  if (!in_a_room(file.path) || !is_cpp(file.path)) {
    return faults;
  }
  const auto room = room_of(file.path);
  const auto& allowed = kMayInclude.at(room);
  const auto lines = lines_of(file.text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (std::regex_search(lines[i], found, include) && found[1] != room &&
        !allowed.contains(found[1])) {
      faults.push_back(at(file, i + 1,
                          room + "/ must not include \"" + found[1].str() +
                              "/…\": see the floor plan in ARCHITECTURE.md, and move "
                              "what both need into base/"));
    }
  }
  return faults;
}

struct Ban {
  std::string pattern;
  std::vector<std::string> where;   ///< path prefixes; "rooms" stands for the six rooms, "" for all
  std::vector<std::string> except;  ///< path prefixes
  std::string lesson;
  std::string sample;       ///< a line that must be caught
  std::string sample_path;  ///< in this file
};

const std::vector<Ban> kBans{
    {R"(\bsystem_clock\b|\bgettimeofday\b|\bCLOCK_REALTIME\b|\btime\((nullptr|NULL|0)\))",
     {"rooms"},
     {"base/time", "daemon/log"},
     "the host's wall clock decides nothing (G10): take the DatabaseTime that a statement "
     "returned, "
     "or a SteadyTime that you were given",
     "  const auto now = std::chrono::system_clock::now();",
     "recovery/pass.cpp"},
    {R"(#include <(pqxx/|libpq-fe))",
     {"rooms"},
     {"sql/"},
     "go through sql/database.hpp, the one door to PostgreSQL",
     "#include <pqxx/pqxx>",
     "recovery/pass.cpp"},
    {R"(#include <pqxx/)",
     {"sql/"},
     {"sql/database"},
     "only sql/database may know libpqxx; two of its versions must build",
     "#include <pqxx/pqxx>",
     "sql/statement.hpp"},
    {R"(#include <curl/)",
     {"rooms"},
     {"reconcile/"},
     "go through reconcile/http.hpp",
     "#include <curl/curl.h>",
     "daemon/main.cpp"},
    {R"(\b(sleep_for|sleep_until|usleep|nanosleep)\b)",
     {"rooms", "tests/unit/"},
     {},
     "await a timer; in a test, wait for the condition",
     "std::this_thread::sleep_for(1s);",
     "daemon/main.cpp"},
    {R"(\b(double|float|stod|stof|strtod|atof)\b)",
     {"reconcile/", "base/decimal"},
     {"reconcile/json"},
     "money is a Decimal, read from its text: a double cannot hold 0.10 (only the JSON parser's "
     "interface names one)",
     "const double amount = std::stod(text);",
     "reconcile/money.cpp"},
    {R"(\bsetlocale\b|\blocale::global\b)",
     {"rooms"},
     {},
     "the process stays in the C locale: under another a decimal comma would come and go",
     "  setlocale(LC_ALL, \"\");",
     "daemon/main.cpp"},
    {R"(\bFailed\b)",
     {"sql/statements/"},
     {},
     "no statement of a pass may contain the word (G3); only a person resolves to it",
     "SET status = 'Failed'",
     "sql/statements/record.sql"},
    {R"(\b(TODO|FIXME)\b|\bXXX:)",
     {""},
     {},
     "finish it, or file an issue",
     "// TODO: later",
     "base/ids.cpp"},
    {R"((^|[^\w./$}])/(work|root|home)/)",
     {""},
     {},
     "a path of one machine: derive it from the script's own place, or take it as an argument",
     "cd /home/me/reconciled",
     "tests/run"}};

bool has_prefix(std::string_view path, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return prefix == "rooms" ? in_a_room(path) : path.starts_with(prefix);
  });
}

/// What the ban looks at: C++ without comments and literals unless the ban is about the text
/// itself.
std::string text_for(const Ban& ban, const SourceFile& file) {
  const bool about_text = ban.where.front().empty() || ban.pattern.starts_with("#");
  return about_text || !is_cpp(file.path) ? file.text : code_only(file.text);
}

Faults ban_faults(const Ban& ban, const SourceFile& file) {
  Faults faults;
  if (!has_prefix(file.path, ban.where) || has_prefix(file.path, ban.except) ||
      file.path == kThisFile) {
    return faults;
  }
  const std::regex pattern(ban.pattern);
  const auto lines = lines_of(text_for(ban, file));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch found;
    if (std::regex_search(lines[i], found, pattern)) {
      faults.push_back(at(file, i + 1, "'" + found.str() + "': " + ban.lesson));
    }
  }
  return faults;
}

Faults size_faults(const SourceFile& file) {
  Faults faults;
  const auto lines = lines_of(file.text).size();
  if (lines > kFileLinesMax) {
    faults.push_back(at(file, 1,
                        std::to_string(lines) + " lines, the limit is " +
                            std::to_string(kFileLinesMax) + ": give a part its own file"));
  }
  if (!is_cpp(file.path)) {
    return faults;
  }
  for (const auto& function : functions_of(file.text)) {
    if (function.length > kFunctionLinesMax) {
      faults.push_back(at(file, static_cast<std::size_t>(function.first_line),
                          "a function of " + std::to_string(function.length) +
                              " lines, the limit is " + std::to_string(kFunctionLinesMax) +
                              ": name its steps"));
    }
  }
  return faults;
}

bool needs_licence(const SourceFile& file) {
  static const std::set<std::string> kinds{".cpp",  ".hpp", ".sql", ".sh",  ".cmake",
                                           ".yaml", ".yml", ".mjs", ".awk", ".conf"};
  const auto name = file.path.substr(file.path.rfind('/') + 1);
  const auto dot = name.rfind('.');
  return name == "CMakeLists.txt" || file.text.starts_with("#!") ||
         (dot != std::string::npos && dot > 0 && kinds.contains(name.substr(dot)));
}

Faults licence_faults(const SourceFile& file) {
  const auto lines = lines_of(file.text);
  const std::size_t first = file.text.starts_with("#!") ? 1 : 0;
  if (!needs_licence(file) ||
      (lines.size() > first && lines[first].find("SPDX-License-Identifier: "
                                                 "Apache-2.0") != std::string::npos)) {
    return {};
  }
  return {at(file, first + 1, "the first line (after #!) must be the SPDX line")};
}

template <class Rule>
void hold(Rule rule) {
  const auto tree = read_tree();
  REQUIRE(tree.size() > 20);
  for (const auto& file : tree) {
    for (const auto& fault : rule(file)) {
      FAIL_CHECK(fault);
    }
  }
}

}  // namespace

TEST_CASE("a room includes only the rooms that the floor plan allows", "[house]") {
  hold(import_faults);
}

TEST_CASE("nothing that the house bans is in the tree", "[house]") {
  for (const auto& ban : kBans) {
    hold([&](const SourceFile& file) { return ban_faults(ban, file); });
  }
}

TEST_CASE("no file and no function is longer than the house allows", "[house]") {
  hold(size_faults);
}

TEST_CASE("every source file begins with its licence", "[house]") { hold(licence_faults); }

TEST_CASE("the import rule fires on each forbidden pair of rooms and on no other", "[house]") {
  for (const auto& [room, allowed] : kMayInclude) {
    for (const auto& [other, ignored] : kMayInclude) {
      const SourceFile file{room + "/a.cpp", "#include \"" + other + "/b.hpp\"\n"};
      INFO(room << " includes " << other);
      CHECK(import_faults(file).empty() == (room == other || allowed.contains(other)));
    }
    CHECK_FALSE(import_faults({room + "/a.cpp", "#include \"tests/a.hpp\"\n"}).empty());
    CHECK_FALSE(import_faults({room + "/a.cpp", "#include \"a.hpp\"\n"}).empty());
  }
  CHECK(import_faults({"tests/a.cpp", "#include \"daemon/b.hpp\"\n"}).empty());
}

TEST_CASE("each ban fires on its sample, and not where it does not hold", "[house]") {
  for (const auto& ban : kBans) {
    INFO(ban.pattern);
    CHECK(ban_faults(ban, {ban.sample_path, "\n" + ban.sample + "\n"}).size() == 1);
    CHECK(ban_faults(ban, {ban.sample_path, "int harmless = 1;\n"}).empty());
    for (const auto& exempt : ban.except) {
      CHECK(ban_faults(ban, {exempt + ".cpp", ban.sample}).empty());
    }
  }
}

TEST_CASE("a banned word in a comment or a literal of C++ is no use of it", "[house]") {
  const auto& money = kBans[5];
  CHECK(ban_faults(money, {"reconcile/a.cpp", "// never a double\n"}).empty());
  CHECK(ban_faults(money, {"reconcile/a.cpp", "say(\"double\");\n"}).empty());
  CHECK(ban_faults(money, {"reconcile/a.cpp", "/* a\n double */ double d;\n"})
            .front()
            .starts_with("reconcile/a.cpp:2: 'double'"));
}

TEST_CASE("the size rule fires one line above its limits", "[house]") {
  const auto file_of = [](int lines) {
    std::string text;
    for (int i = 0; i < lines; ++i) {
      text += "\n";
    }
    return SourceFile{"base/a.sql", text};
  };
  CHECK(size_faults(file_of(kFileLinesMax)).empty());
  CHECK(size_faults(file_of(kFileLinesMax + 1)).size() == 1);
  const auto function_of = [&](int lines) {
    return SourceFile{"base/a.cpp", "void f() {\n" + file_of(lines - 2).text + "}\n"};
  };
  CHECK(size_faults(function_of(kFunctionLinesMax)).empty());
  CHECK(size_faults(function_of(kFunctionLinesMax + 1)).size() == 1);
}

TEST_CASE("the licence rule wants the first line, or the second of a script", "[house]") {
  const std::string spdx = "SPDX-License-Identifier: Apache-2.0\n";
  CHECK(licence_faults({"base/a.cpp", "// " + spdx}).empty());
  CHECK(licence_faults({"tests/run", "#!/bin/sh\n# " + spdx}).empty());
  CHECK(licence_faults({"README.md", "# reconciled\n"}).empty());
  CHECK(licence_faults({"base/a.cpp", ""}).size() == 1);
  CHECK(licence_faults({"base/a.cpp", "\n// " + spdx}).size() == 1);
  CHECK(licence_faults({"tests/run", "#!/bin/sh\nexit\n"}).size() == 1);
  CHECK(licence_faults({"sql/a.sql", "SELECT 1;\n"}).size() == 1);
  CHECK(licence_faults({"tests/CMakeLists.txt", "project(x)\n"}).size() == 1);
}

}  // namespace reconciled::house
