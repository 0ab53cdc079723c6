// SPDX-License-Identifier: Apache-2.0
// What `recheck` and `resolve` say of each operation: what was done on stdout, what was not on
// stderr.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "daemon/output.hpp"
#include "sql/error.hpp"

namespace reconciled {

inline constexpr char kLost[] =
    "somebody was faster: it is not as it was read, and nothing was written; look at it again";

class VerbReport {
 public:
  void line(OperationId id, const std::string& what);
  void refused(OperationId id, const std::string& why);
  /// 0, or 1 if something was refused.
  ExitCode code() const noexcept { return refused_ ? ExitCode::undecided : ExitCode::done; }
  ExitCode finish(ExitCode code) { return output_.finish(code); }

 private:
  Output output_;
  bool refused_ = false;
};

/// The failure of a write; one whose answer was lost may have happened.
Failure write_failure(const sql::Error& error, OperationId id);

}  // namespace reconciled
