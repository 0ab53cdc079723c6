// SPDX-License-Identifier: Apache-2.0
// A person's verbs on the command line: what CLI11 reads of them, and whether it makes sense.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "daemon/command_line.hpp"

namespace reconciled {

/// The verbs' part of the help, and what they end with.
std::string verbs_help();

class VerbOptions {
 public:
  /// Adds the verbs to `app`, which reads into this object and may be gone afterwards; this object
  /// must stay where it is until then.
  void add_to(CLI::App& app);

  /// The verb that was given; nullptr for none.
  const char* given() const { return given_; }
  /// Whether it is one that --output is for.
  bool prints() const;

  /// Takes the verb into the invocation. `dry_run` and `no_lookup` are the program's own options,
  /// which some verbs share. What is wrong, or empty.
  std::string judge(bool dry_run, bool no_lookup, Invocation& invocation) const;

 private:
  CLI::App* add(CLI::App& app, const char* verb);
  std::string judge_list(Invocation& invocation) const;
  std::string judge_recheck(bool dry_run, Invocation& invocation) const;
  std::string judge_resolve(bool dry_run, bool no_lookup, Invocation& invocation) const;

  const char* given_ = nullptr;
  std::vector<std::string> operations_;  // as written, ID or ID@N
  std::vector<std::string> statuses_;
  std::string reason_, account_, older_than_, as_, reference_;
  std::optional<std::int64_t> limit_, expect_version_;
};

}  // namespace reconciled
