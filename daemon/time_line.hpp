// SPDX-License-Identifier: Apache-2.0
// `show` for people: an operation's facts, and what became of it as a time line. Pure.
#pragma once

#include <optional>
#include <string>

#include "daemon/verb_rows.hpp"

namespace reconciled {

/// What the operation is; `operation` has the columns of operation_columns().
std::string operation_text(const NamedRow& operation);

class TimeLine {
 public:
  /// What happened, and what was decided by it, if anything was.
  struct Said {
    std::string what;
    std::string decided;
  };

  /// Heading and admission.
  std::string begin(const NamedRow& operation);
  /// The next row of evidence, with the columns of time_line_columns().
  std::string add(const NamedRow& evidence);
  /// What comes next: who owns it, when it is looked at again, or what a person can do.
  static std::string end(const NamedRow& operation);

 private:
  std::string entry(const NamedRow& row, std::string_view time_column, const Said& said);

  std::optional<DatabaseTime> before_;
};

}  // namespace reconciled
