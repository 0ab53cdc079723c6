// SPDX-License-Identifier: Apache-2.0
// reconciled-guarantees(7): each guarantee names tests that are there, and each retry has the
// number that the settings, the code and the unit have.
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "daemon/settings_table.hpp"
#include "reconcile/health.hpp"
#include "recovery/attempt.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/" + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string page() { return text_of("man/reconciled-guarantees.7"); }

/// What stands between a heading of the page and the next one of its kind.
std::string part(const std::string& heading, const std::string& next) {
  const auto text = page();
  const auto from = text.find(heading);
  REQUIRE(from != std::string::npos);
  return text.substr(from, text.find(next, from + heading.size()) - from);
}

std::string one_line(std::string text) {
  return std::regex_replace(text, std::regex("\"?\\s*\n\\s*\"?"), " ");
}

/// A layer of the section RETRIES as one line, without macros.
std::string layer(const std::string& name) {
  return std::regex_replace(one_line(part("\n.It " + name + "\n", "\n.It ")),
                            std::regex(R"(\.(Ic|Xr) )"), "");
}

}  // namespace

TEST_CASE("each guarantee says what it holds against, what it does not promise, and its tests",
          "[manual]") {
  static const std::regex test(R"(\.It\n\.Pa (\S+) :\n([^.]*(?:\n[^.][^\n]*)*))");
  for (int number = 1; number <= 14; ++number) {
    const auto text = part("\n.Ss G" + std::to_string(number) + " ", "\n.S");
    INFO(text);
    CHECK(text.find("\nHolds against:\n") != std::string::npos);
    CHECK(text.find("\nDoes not promise:\n") != std::string::npos);
    int tests = 0;
    for (std::sregex_iterator one(text.begin(), text.end(), test), end; one != end;
         ++one, ++tests) {
      auto title = std::regex_replace((*one)[2].str(), std::regex("\n"), " ");
      while (!title.empty() && title.back() == ' ') title.pop_back();
      const auto file = std::regex_replace(text_of((*one)[1]), std::regex("\"\\s*\n\\s*\""), "");
      INFO((*one)[1] << ": " << title);
      CHECK(file.find(title) != std::string::npos);
    }
    CHECK(tests >= 2);
  }
}

TEST_CASE("each setting among the retries has its default", "[manual]") {
  std::map<std::string, std::string> defaults;
  for (const auto& setting : all_settings())
    defaults[std::string(setting.key)] = default_text(setting);
  const auto retries = part("\n.Sh RETRIES\n", "\n.Sh ");
  static const std::regex key(R"(\.Ic ([a-z_.]+)\n(\(([^)]+)\))?)");
  std::set<std::string> named;
  for (std::sregex_iterator one(retries.begin(), retries.end(), key), end; one != end; ++one) {
    INFO((*one)[1]);
    REQUIRE(defaults.contains((*one)[1]));
    CHECK((*one)[3] == defaults.at((*one)[1]));
    named.insert((*one)[1]);
  }
  CHECK(named.size() == 12);
}

TEST_CASE("the retries' numbers that nobody sets are those of the code and of the unit",
          "[manual]") {
  CHECK(AttemptSends::kResendsMost == 2);
  CHECK(layer("Create").find("sent again twice at most") != std::string::npos);
  const auto breaker = "after " + to_string(ProviderHealth::kFirstWait) + ", doubling up to " +
                       to_string(ProviderHealth::kLongestWait);
  CHECK(layer("Breaker").find(breaker) != std::string::npos);
  const auto unit = text_of("packaging/systemd/reconciled.service");
  CHECK(unit.find("\nRestartSec=5s\n") != std::string::npos);
  CHECK(unit.find("\nStartLimitIntervalSec=0\n") != std::string::npos);
  CHECK(unit.find("\nRestartPreventExitStatus=64 65 77 78\n") != std::string::npos);
  CHECK(layer("Service").find("again 5s after it failed, for ever, but not after the exit statuses "
                              "64, 65, 77 and 78") != std::string::npos);
}
