// SPDX-License-Identifier: Apache-2.0
#include "daemon/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "daemon/verb_options.hpp"
#include "daemon/version.hpp"

namespace reconciled {
namespace {

constexpr char kOptionsHelp[] =
    "Usage: reconciled [OPTION]... [VERB]\n"
    "Finds out what happened to monetary operations whose outcome nobody recorded.\n"
    "Without an option or a verb that says otherwise it runs as a daemon, in the foreground.\n"
    "\n"
    "      --config FILE         read FILE in place of /etc/reconciled/reconciled.yaml\n"
    "      --once                settle everything that is due now, each asked once, then exit\n"
    "      --dry-run             show what a pass and a sweep would do; write nothing\n"
    "      --output table|json   how --dry-run prints (default: table)\n"
    "      --no-lookup           leave the lookups out of --dry-run\n"
    "      --probe-profile FILE  try a provider profile on one operation; write nothing\n"
    "      --operation-json FILE the operation, for --probe-profile\n"
    "      --operation ID        or this one of the database that --config names\n"
    "      --send                send the request of --probe-profile, and show the answer\n"
    "      --check-config        judge configuration, profile and timings, then exit\n"
    "      --print-config[=defaults]\n"
    "                            print the effective settings, or the commented default file\n"
    "      --version             print the version and exit\n"
    "      --help                print this help and exit\n"
    "\n";

constexpr char kExitHelp[] =
    "\n"
    "Exit status: 0 done, 1 something is left (undecided, refused, found by check), 64 usage, 65\n"
    "schema, 69 database or provider not reachable, 70 a defect, 75 read-only, 77 permission, 78\n"
    "configuration. See reconciled(8), reconciled-verbs(8) and reconciled.yaml(5).\n";

/// The options as they were written, before they are judged together.
struct Given {
  std::string config = kDefaultConfig;
  std::string output;
  std::string print;
  std::string probe_profile;
  std::string operation_json;
  std::string operation;
  bool once = false;
  bool dry_run = false;
  bool no_lookup = false;
  bool send = false;
  bool check_config = false;
  bool print_config = false;
  bool resubmit = false;
  bool enable = false;
  bool disable = false;
  std::string reason;
  bool version = false;
  bool help = false;
  VerbOptions verbs = {};
};

Usage misuse(std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  return {ExitCode::usage, "reconciled: " + what + "\nTry 'reconciled --help'.\n", false};
}

/// What is wrong with the arguments; empty if they were understood.
std::string read_options(std::span<const char* const> arguments, Given& given) {
  CLI::App app;
  app.set_help_flag("");  // --help is ours, so that its text is the same with every CLI11
  const auto named = [](const std::string& file) {
    return std::string(file.empty() ? "needs the name of a file" : "");
  };
  app.add_option("--config", given.config)->check(named);
  app.add_option("--probe-profile", given.probe_profile)->check(named);
  app.add_option("--operation-json", given.operation_json)->check(named);
  app.add_option("--operation", given.operation)->check([](const std::string& id) {
    return std::string(parse_uuid(id) ? "" : "needs the uuid of an operation");
  });
  app.add_option("--output", given.output)->check(CLI::IsMember({"table", "json"}));
  auto* print = app.add_option("--print-config", given.print)->expected(0, 1);
  print->check(CLI::IsMember({"defaults"}));
  app.add_flag("--once", given.once);
  app.add_flag("--dry-run", given.dry_run);
  app.add_flag("--no-lookup", given.no_lookup);
  app.add_flag("--send", given.send);
  app.add_flag("--check-config", given.check_config);
  app.add_flag("--version", given.version);
  app.add_flag("--help", given.help);
  auto* resubmit = app.add_subcommand("resubmit");
  resubmit->fallthrough();  // --config may follow the verb
  resubmit->set_help_flag("");
  resubmit->add_flag("--enable", given.enable);
  resubmit->add_flag("--disable", given.disable);
  resubmit->add_option("--reason", given.reason);
  given.verbs.add_to(app);
  // CLI11 takes its arguments from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  given.print_config = print->count() > 0;
  given.resubmit = resubmit->parsed();
  return "";
}

std::variant<Invocation, Usage> judge(const Given& given) {
  struct Chosen {
    bool is_given;
    const char* option;
    Command command;
  };
  const char* const verb = given.verbs.given();
  // Its command is told by the verb's own options.
  const Chosen choices[] = {
      {verb != nullptr, verb, Command::daemon},
      {given.once, "--once", Command::once},
      {given.dry_run && verb == nullptr, "--dry-run", Command::dry_run},
      {!given.probe_profile.empty(), "--probe-profile", Command::probe_profile},
      {given.resubmit, "resubmit", Command::resubmit},
      {given.check_config, "--check-config", Command::check_config},
      {given.print_config, "--print-config",
       given.print == "defaults" ? Command::print_defaults : Command::print_config}};
  Invocation invocation;
  const char* first = nullptr;
  for (const auto& choice : choices) {
    if (!choice.is_given) continue;
    if (first != nullptr)
      return misuse(std::string(first) + " and " + choice.option + " exclude each other");
    first = choice.option;
    invocation.command = choice.command;
  }
  const bool prints = given.dry_run ? verb == nullptr : given.verbs.prints();
  if (!given.output.empty() && !prints)
    return misuse("--output needs --dry-run, list, show or check");
  if (given.no_lookup && verb == nullptr && !given.dry_run)
    return misuse("--no-lookup needs --dry-run or resolve");
  for (const auto& [is_given, option] :
       {std::pair{!given.operation_json.empty(), "--operation-json"},
        std::pair{!given.operation.empty(), "--operation"}, std::pair{given.send, "--send"}})
    if (is_given && given.probe_profile.empty())
      return misuse(std::string(option) + " needs --probe-profile");
  if (!given.probe_profile.empty() && given.operation_json.empty() == given.operation.empty())
    return misuse("--probe-profile needs one of --operation-json and --operation");
  invocation.probe = {given.probe_profile, given.operation_json, given.send};
  if (const auto id = parse_uuid(given.operation)) invocation.probe.operation = OperationId{*id};
  if (given.resubmit && given.enable == given.disable)
    return misuse("resubmit needs one of --enable and --disable");
  if (given.resubmit && given.reason.find_first_not_of(' ') == std::string::npos)
    return misuse("resubmit needs --reason with a text");
  invocation.resubmit = {given.enable, given.reason};
  invocation.config = given.config;
  invocation.output = given.output == "json" ? OutputFormat::json : OutputFormat::table;
  invocation.lookups = !given.no_lookup;
  if (verb == nullptr) return invocation;
  const auto wrong = given.verbs.judge(given.dry_run, given.no_lookup, invocation);
  if (!wrong.empty()) return misuse(wrong);
  return invocation;
}

}  // namespace

std::string help_text() { return kOptionsHelp + verbs_help() + kExitHelp; }

std::variant<Invocation, Usage> parse_command_line(std::span<const char* const> arguments) {
  Given given;
  const auto wrong = read_options(arguments, given);
  if (!wrong.empty()) return misuse(wrong);
  if (given.help) return Usage{ExitCode::done, help_text(), true};
  if (given.version)
    return Usage{ExitCode::done, std::string("reconciled ") + kVersion + "\nLicence: Apache-2.0\n",
                 true};
  return judge(given);
}

}  // namespace reconciled
