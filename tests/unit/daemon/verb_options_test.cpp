// SPDX-License-Identifier: Apache-2.0
// A person's verbs on the command line.
#include "daemon/command_line.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

using Arguments = std::vector<const char*>;

constexpr const char* kId = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
constexpr const char* kOther = "7fa459ea-ee8a-4ca4-894e-db77e160355e";

Invocation run(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<Invocation>(parsed));
  return std::get<Invocation>(parsed);
}

}  // namespace

TEST_CASE("list without filters is what is open", "[command_line]") {
  const auto list = run({"list", "--config", "/x.yaml"});
  CHECK(list.command == Command::list);
  CHECK(list.config.string() == "/x.yaml");
  CHECK(list.list.statuses ==
        std::vector<std::string>{"Admitted", "Unknown", "NeedsReconciliation"});
  CHECK_FALSE(list.list.limit);
}

TEST_CASE("list takes each filter", "[command_line]") {
  const auto list =
      run({"list", "--status", "Failed,Succeeded", "--status=Unknown", "--reason", "mismatch",
           "--older-than", "2h", "--account", "A-1", "--limit", "5", "--output", "json"});
  CHECK(list.list.statuses == std::vector<std::string>{"Failed", "Succeeded", "Unknown"});
  CHECK(list.list.reason == "mismatch");
  CHECK(list.list.older_than == 2h);
  CHECK(list.list.account_id == "A-1");
  CHECK(list.list.limit == 5);
  CHECK(list.output == OutputFormat::json);
}

TEST_CASE("show and check", "[command_line]") {
  const auto show = run({"show", kId, "--output=json"});
  CHECK(show.command == Command::show);
  CHECK(to_string(show.operation) == kId);
  CHECK(show.output == OutputFormat::json);
  CHECK(run({"check"}).command == Command::check);
}

TEST_CASE("recheck takes several operations", "[command_line]") {
  const auto recheck = run({"recheck", kId, kOther, "--reason", "they fixed it", "--dry-run"});
  CHECK(recheck.command == Command::recheck);
  CHECK(recheck.recheck.operations.size() == 2);
  CHECK(recheck.recheck.reason == "they fixed it");
  CHECK(recheck.recheck.dry_run);
  CHECK_FALSE(run({"recheck", kId}).recheck.dry_run);
}

TEST_CASE("resolve names each operation at the version that was seen", "[command_line]") {
  const auto one = run({"resolve", kId, "--as", "Failed", "--reason", "r", "--expect-version", "3",
                        "--reference", "cr_1", "--no-lookup"});
  CHECK(one.command == Command::resolve);
  CHECK(one.resolve.as == Resolution::failed);
  CHECK(one.resolve.reason == "r");
  CHECK(one.resolve.reference == "cr_1");
  CHECK_FALSE(one.resolve.ask);
  REQUIRE(one.resolve.operations.size() == 1);
  CHECK(one.resolve.operations[0].version.value == 3);
  const std::string first = std::string(kId) + "@3";
  const std::string second = std::string(kOther) + "@12";
  const auto two =
      run({"resolve", first.c_str(), second.c_str(), "--as=Succeeded", "--reason=r", "--dry-run"});
  CHECK(two.resolve.ask);
  CHECK(two.resolve.dry_run);
  REQUIRE(two.resolve.operations.size() == 2);
  CHECK(to_string(two.resolve.operations[1].operation) == kOther);
  CHECK(two.resolve.operations[1].version.value == 12);
}

TEST_CASE("a verb that makes no sense is refused with 64", "[command_line]") {
  static const std::string at = std::string(kId) + "@3";
  static const std::string zero = std::string(kId) + "@0";
  static const std::string bare = std::string(kId) + "@";
  static const std::string longest(2001, 'x');
  const auto arguments = GENERATE(
      Arguments{"list", "word"}, Arguments{"list", "--status", "Pending"},
      Arguments{"list", "--limit", "0"}, Arguments{"list", "--limit", "many"},
      Arguments{"list", "--older-than", "2"}, Arguments{"list", "--dry-run"},
      Arguments{"list", "--no-lookup"}, Arguments{"list", "check"}, Arguments{"list", "--once"},
      Arguments{"--once", "check"}, Arguments{"--check-config", "check"}, Arguments{"show"},
      Arguments{"show", "7"}, Arguments{"show", kId, kOther}, Arguments{"recheck"},
      Arguments{"recheck", "7"}, Arguments{"recheck", at.c_str()},
      Arguments{"recheck", kId, "--output", "json"}, Arguments{"recheck", kId, "--no-lookup"},
      Arguments{"recheck", kId, "--reason", "a\nb"},
      Arguments{"resolve", "--as", "Failed", "--reason", "r"},
      Arguments{"resolve", kId, "--as", "Failed", "--reason", "r"},
      Arguments{"resolve", at.c_str(), "--as", "Unknown", "--reason", "r"},
      Arguments{"resolve", at.c_str(), "--reason", "r"},
      Arguments{"resolve", at.c_str(), "--as", "Failed"},
      Arguments{"resolve", at.c_str(), "--as", "Failed", "--reason", " "},
      Arguments{"resolve", at.c_str(), "--as", "Failed", "--reason", longest.c_str()},
      Arguments{"resolve", at.c_str(), "--as", "Failed", "--reason", "r", "--expect-version", "3"},
      Arguments{"resolve", zero.c_str(), "--as", "Failed", "--reason", "r"},
      Arguments{"resolve", bare.c_str(), "--as", "Failed", "--reason", "r"},
      Arguments{"resolve", kId, "--as", "Failed", "--reason", "r", "--expect-version", "-1"},
      Arguments{"resolve", at.c_str(), at.c_str(), "--as", "Failed", "--reason", "r", "--reference",
                "c"},
      Arguments{"resolve", at.c_str(), "--as", "Failed", "--reason", "r", "--reference", "a\x07"},
      Arguments{"--status", "Unknown"}, Arguments{"--as", "Failed"});
  const auto parsed = parse_command_line(arguments);
  CAPTURE(std::vector<std::string>(arguments.begin(), arguments.end()));
  REQUIRE(std::holds_alternative<Usage>(parsed));
  CHECK(std::get<Usage>(parsed).code == ExitCode::usage);
  CHECK_FALSE(std::get<Usage>(parsed).to_stdout);
}

TEST_CASE("an option and a verb that exclude each other are both named", "[command_line]") {
  const auto parsed = parse_command_line(Arguments{"list", "--once"});
  CHECK(std::get<Usage>(parsed).text ==
        "reconciled: list and --once exclude each other\nTry 'reconciled --help'.\n");
}
