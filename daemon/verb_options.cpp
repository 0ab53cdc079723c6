// SPDX-License-Identifier: Apache-2.0
#include "daemon/verb_options.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.hpp"

namespace reconciled {
namespace {

constexpr std::size_t kLongestReference = 255;  // bytes, as of a provider's
constexpr std::size_t kLongestReason = 2000;

/// What `list` shows without --status: what is not settled.
const std::vector<std::string> kOpen = {"Admitted", "Unknown", "NeedsReconciliation"};

bool blank(std::string_view text) {
  return text.find_first_not_of(" \t\n") == std::string_view::npos;
}

/// Not what would break a terminal or a line of JSON where it is read back.
bool clean(std::string_view text) { return printable(text) == text; }

std::optional<std::int64_t> positive(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || number < 1)
    return std::nullopt;
  return number;
}

std::optional<OperationId> id_of(std::string_view text) {
  const auto uuid = parse_uuid(text);
  if (!uuid) return std::nullopt;
  return OperationId{*uuid};
}

}  // namespace

std::string verbs_help() {
  return "Verbs of a person, with --config as above:\n"
         "  list                       what is open, oldest first\n"
         "      --status S             Admitted, Unknown, NeedsReconciliation, Succeeded or "
         "Failed;\n"
         "                             several with commas\n"
         "      --reason R             only with this reason, such as absent-after-window\n"
         "      --older-than D         only what was admitted longer ago, such as 2h\n"
         "      --account A            only of this account\n"
         "      --limit N              at most so many\n"
         "  show OPERATION             one operation and its evidence as a time line\n"
         "  recheck OPERATION...       send back to be looked at, due now\n"
         "  resolve OPERATION[@N]...   say how it ended, after asking the provider once more\n"
         "      --as Succeeded|Failed  how\n"
         "      --reason TEXT          why; recorded, also by recheck\n"
         "      --reference R          the provider's reference of the credit\n"
         "      --expect-version N     the owner_version that you saw; with several, ID@N each\n"
         "  check                      prove that every unresolved operation is taken care of\n"
         "  resubmit                   turn creating again on or off for every daemon of the "
         "database\n"
         "      --enable | --disable   with --reason TEXT\n"
         "list, show and check take --output; recheck and resolve --dry-run; resolve --no-lookup,\n"
         "which leaves the provider out.\n";
}

CLI::App* VerbOptions::add(CLI::App& app, const char* verb) {
  auto* command = app.add_subcommand(verb);
  command->fallthrough();  // the program's own options may follow the verb
  command->set_help_flag("");
  command->callback([this, verb] { given_ = verb; });
  return command;
}

void VerbOptions::add_to(CLI::App& app) {
  app.require_subcommand(0, 1);
  auto* list = add(app, "list");
  list->add_option("--status", statuses_)
      ->delimiter(',')
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kStatuses), std::end(kStatuses))));
  list->add_option("--reason", reason_);
  list->add_option("--older-than", older_than_);
  list->add_option("--account", account_);
  list->add_option("--limit", limit_);
  for (const auto* verb : {"show", "recheck", "resolve"})
    add(app, verb)->add_option("OPERATION", operations_);
  auto* recheck = app.get_subcommand("recheck");
  recheck->add_option("--reason", reason_);
  auto* resolve = app.get_subcommand("resolve");
  resolve->add_option("--as", as_)->check(CLI::IsMember({"Succeeded", "Failed"}));
  resolve->add_option("--reason", reason_);
  resolve->add_option("--reference", reference_);
  resolve->add_option("--expect-version", expect_version_);
  add(app, "check");
}

bool VerbOptions::prints() const {
  constexpr std::string_view kPrinting[] = {"list", "show", "check"};
  return given_ != nullptr && std::ranges::find(kPrinting, given_) != std::end(kPrinting);
}

std::string VerbOptions::judge(bool dry_run, bool no_lookup, Invocation& invocation) const {
  const std::string_view verb = given_;
  if (dry_run && verb != "recheck" && verb != "resolve")
    return std::string(verb) + " and --dry-run exclude each other";
  if (no_lookup && verb != "resolve") return "--no-lookup needs --dry-run or resolve";
  if (!clean(reason_)) return "--reason has control characters";
  if (reason_.size() > kLongestReason) return "--reason is longer than 2000 bytes";
  if (verb == "list") return judge_list(invocation);
  if (verb == "recheck") return judge_recheck(dry_run, invocation);
  if (verb == "resolve") return judge_resolve(dry_run, no_lookup, invocation);
  invocation.command = verb == "show" ? Command::show : Command::check;
  if (verb == "check") return "";
  if (operations_.size() != 1) return "show needs one operation";
  const auto id = id_of(operations_.front());
  if (!id) return operations_.front() + " is no operation's uuid";
  invocation.operation = *id;
  return "";
}

std::string VerbOptions::judge_list(Invocation& invocation) const {
  invocation.command = Command::list;
  auto& list = invocation.list;
  list.statuses = statuses_.empty() ? kOpen : statuses_;
  list.reason = reason_;
  list.account_id = account_;
  list.limit = limit_;
  if (limit_ && *limit_ < 1) return "--limit needs a number above 0";
  if (older_than_.empty()) return "";
  list.older_than = parse_duration(older_than_);
  return list.older_than ? "" : "--older-than needs a duration with its unit, such as 2h";
}

std::string VerbOptions::judge_recheck(bool dry_run, Invocation& invocation) const {
  invocation.command = Command::recheck;
  invocation.recheck = {{}, reason_, dry_run};
  if (operations_.empty()) return "recheck needs an operation";
  for (const auto& text : operations_) {
    const auto id = id_of(text);
    if (!id) return text + " is no operation's uuid";
    invocation.recheck.operations.push_back(*id);
  }
  return "";
}

std::string VerbOptions::judge_resolve(bool dry_run, bool no_lookup, Invocation& invocation) const {
  invocation.command = Command::resolve;
  if (operations_.empty()) return "resolve needs an operation";
  if (as_.empty()) return "resolve needs --as Succeeded or --as Failed";
  if (blank(reason_)) return "resolve needs --reason with a text";
  if (!clean(reference_) || reference_.size() > kLongestReference)
    return "--reference must be at most 255 bytes without control characters";
  if (operations_.size() > 1 && (!reference_.empty() || expect_version_))
    return "--reference and --expect-version are for one operation; write ID@N for several";
  auto& resolve = invocation.resolve;
  resolve.as = as_ == "Succeeded" ? Resolution::succeeded : Resolution::failed;
  resolve.reason = reason_;
  resolve.reference = reference_;
  resolve.ask = !no_lookup;
  resolve.dry_run = dry_run;
  for (const std::string_view text : operations_) {
    const auto at = std::min(text.find('@'), text.size());
    const auto id = id_of(text.substr(0, at));
    if (!id) return std::string(text) + " is no operation's uuid";
    const auto version = at < text.size() ? positive(text.substr(at + 1)) : expect_version_;
    if (!version || *version < 1 || (at < text.size() && expect_version_))
      return "resolve needs the version that you saw, once: --expect-version N, or ID@N";
    resolve.operations.push_back({*id, {*version}});
  }
  return "";
}

}  // namespace reconciled
