// SPDX-License-Identifier: Apache-2.0
#include "daemon/command_line.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "daemon/version.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

using Arguments = std::vector<const char*>;

Invocation run(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<Invocation>(parsed));
  return std::get<Invocation>(parsed);
}

Usage usage(const Arguments& arguments) {
  const auto parsed = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<Usage>(parsed));
  return std::get<Usage>(parsed);
}

}  // namespace

TEST_CASE("without options it is the daemon with the usual file", "[command_line]") {
  const auto invocation = run({});
  CHECK(invocation.command == Command::daemon);
  CHECK(invocation.config.string() == "/etc/reconciled/reconciled.yaml");
}

TEST_CASE("each command is understood, --config with a blank or an equals sign", "[command_line]") {
  CHECK(run({"--once"}).command == Command::once);
  CHECK(run({"--dry-run"}).command == Command::dry_run);
  CHECK(run({"--check-config"}).command == Command::check_config);
  CHECK(run({"--print-config"}).command == Command::print_config);
  CHECK(run({"--print-config=defaults"}).command == Command::print_defaults);
  CHECK(run({"--config", "/x.yaml", "--once"}).config.string() == "/x.yaml");
  CHECK(run({"--once", "--config=/x.yaml"}).config.string() == "/x.yaml");
  CHECK(run({"--print-config", "--config", "/x.yaml"}).command == Command::print_config);
  CHECK(run({"--config", "/x.yaml", "--"}).command == Command::daemon);
}

TEST_CASE("a dry run prints a table with lookups unless told otherwise", "[command_line]") {
  CHECK(run({"--dry-run"}).output == OutputFormat::table);
  CHECK(run({"--dry-run"}).lookups);
  CHECK(run({"--dry-run", "--output", "json"}).output == OutputFormat::json);
  CHECK(run({"--output=table", "--dry-run"}).output == OutputFormat::table);
  CHECK_FALSE(run({"--no-lookup", "--dry-run"}).lookups);
}

namespace {
constexpr const char* kId = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
}  // namespace

TEST_CASE("a probe names a profile and an operation, and sends only if told to", "[command_line]") {
  const auto probe = run({"--probe-profile", "p.yaml", "--operation-json", "o.json"});
  CHECK(probe.command == Command::probe_profile);
  CHECK(probe.probe.profile.string() == "p.yaml");
  CHECK(std::get<std::filesystem::path>(probe.probe.operation).string() == "o.json");
  CHECK_FALSE(probe.probe.send);
  CHECK(run({"--send", "--operation-json=o", "--probe-profile=p"}).probe.send);
  const auto by_id = run({"--probe-profile=p", "--operation", kId});
  CHECK(to_string(std::get<OperationId>(by_id.probe.operation)) == kId);
}

TEST_CASE("resubmit needs a direction and a reason", "[command_line]") {
  const auto on = run({"--config", "/x.yaml", "resubmit", "--enable", "--reason", "checked"});
  CHECK(on.command == Command::resubmit);
  CHECK(on.resubmit.enable);
  CHECK(on.resubmit.reason == "checked");
  CHECK(on.config.string() == "/x.yaml");
  const auto off = run({"resubmit", "--disable", "--reason=r", "--config", "/x.yaml"});
  CHECK_FALSE(off.resubmit.enable);
  CHECK(off.config.string() == "/x.yaml");
  for (const auto& wrong :
       {Arguments{"resubmit"}, Arguments{"resubmit", "--enable"},
        Arguments{"resubmit", "--reason", "r"}, Arguments{"resubmit", "--enable", "--reason", ""},
        Arguments{"resubmit", "--enable", "--disable", "--reason", "r"},
        Arguments{"--enable", "--reason", "r"},
        Arguments{"--once", "resubmit", "--enable", "--reason", "r"}})
    CHECK(usage(wrong).code == ExitCode::usage);
}

TEST_CASE("a command line that makes no sense is refused in one line with 64", "[command_line]") {
  const auto arguments = GENERATE(
      Arguments{"--nonsense"}, Arguments{"lists"}, Arguments{"--once", "--dry-run"},
      Arguments{"--check-config", "--print-config"}, Arguments{"--once", "--print-config=defaults"},
      Arguments{"--output", "json"}, Arguments{"--once", "--output", "json"},
      Arguments{"--dry-run", "--output", "xml"}, Arguments{"--dry-run", "--output"},
      Arguments{"--no-lookup"}, Arguments{"--check-config", "--no-lookup"},
      Arguments{"--print-config=schema"}, Arguments{"--config"}, Arguments{"--config", ""},
      Arguments{"--config", "a", "--config", "b"}, Arguments{"-x"}, Arguments{"--", "word"},
      Arguments{"--probe-profile", "p"}, Arguments{"--operation-json", "o"}, Arguments{"--send"},
      Arguments{"--probe-profile", "", "--operation-json", "o"},
      Arguments{"--once", "--probe-profile", "p", "--operation-json", "o"},
      Arguments{"--probe-profile", "p", "--operation-json", "o", "--operation", kId},
      Arguments{"--probe-profile", "p", "--operation", "7"}, Arguments{"--operation", kId},
      Arguments{"--once=maybe"}, Arguments{"--help", "--nonsense"});
  const auto refused = usage(arguments);
  CAPTURE(refused.text);
  CHECK(refused.code == ExitCode::usage);
  CHECK_FALSE(refused.to_stdout);
  CHECK(refused.text.starts_with("reconciled: "));
  CHECK(refused.text.ends_with("\nTry 'reconciled --help'.\n"));
  CHECK(std::count(refused.text.begin(), refused.text.end(), '\n') == 2);
}

TEST_CASE("commands that exclude each other are both named", "[command_line]") {
  CHECK(usage({"--dry-run", "--once"}).text ==
        "reconciled: --once and --dry-run exclude each other\nTry 'reconciled --help'.\n");
  CHECK(usage({"--output", "json"}).text ==
        "reconciled: --output needs --dry-run, list, show or check\nTry 'reconciled --help'.\n");
}

TEST_CASE("help and version go to stdout, whatever else is asked for", "[command_line]") {
  for (const auto& arguments :
       {Arguments{"--help"}, Arguments{"--once", "--help"}, Arguments{"--help", "--version"}}) {
    const auto help = usage(arguments);
    CHECK(help.code == ExitCode::done);
    CHECK(help.to_stdout);
    CHECK(help.text == help_text());
  }
  const auto version = usage({"--version"});
  CHECK(version.code == ExitCode::done);
  CHECK(version.to_stdout);
  CHECK(version.text.starts_with(std::string("reconciled ") + kVersion + "\n"));
}

TEST_CASE("the help fits 100 columns and ends its last line", "[command_line]") {
  CHECK(help_text().ends_with('\n'));
  std::istringstream lines(help_text());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

TEST_CASE("the version is the one that CMake knows", "[command_line]") {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  CHECK(text.str().find(std::string("project(reconciled VERSION ") + kVersion + " ") !=
        std::string::npos);
}
