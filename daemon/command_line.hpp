// SPDX-License-Identifier: Apache-2.0
// What was asked for on the command line (design §10). Pure: nothing is printed and nothing exits
// here.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>

#include "base/failures.hpp"
#include "base/ids.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

enum class Command {
  daemon,
  once,
  dry_run,
  check_config,
  print_config,
  print_defaults,
  probe_profile,
  resubmit,
  list,
  show,
  recheck,
  resolve,
  check
};

inline constexpr char kDefaultConfig[] = "/etc/reconciled/reconciled.yaml";

/// Of --probe-profile.
struct ProbeInvocation {
  std::filesystem::path profile;
  std::variant<std::filesystem::path, OperationId> operation;  ///< --operation-json, --operation
  bool send = false;
};

/// Of resubmit.
struct ResubmitInvocation {
  bool enable = false;
  std::string reason;
};

struct Invocation {
  Command command = Command::daemon;
  std::filesystem::path config = kDefaultConfig;
  OutputFormat output = OutputFormat::table;  ///< of a dry run, list, show and check
  bool lookups = true;                        ///< of a dry run: ask the provider
  ProbeInvocation probe = {};
  ResubmitInvocation resubmit = {};
  ListInvocation list = {};
  OperationId operation = {};  ///< of show
  RecheckInvocation recheck = {};
  ResolveInvocation resolve = {};
};

/// Nothing to run: print `text` and exit with `code`. --help and --version go to stdout with 0, a
/// command line that makes no sense to stderr with 64.
struct Usage {
  ExitCode code = ExitCode::usage;
  std::string text;  ///< whole lines
  bool to_stdout = false;
};

/// `arguments` without the program's name.
std::variant<Invocation, Usage> parse_command_line(std::span<const char* const> arguments);

/// What --help prints.
std::string help_text();

}  // namespace reconciled
