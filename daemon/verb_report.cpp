// SPDX-License-Identifier: Apache-2.0
#include "daemon/verb_report.hpp"

#include <cstdio>

#include "daemon/verb_session.hpp"

namespace reconciled {

void VerbReport::line(OperationId id, const std::string& what) {
  output_.write(to_string(id) + ": " + what + "\n");
}

void VerbReport::refused(OperationId id, const std::string& why) {
  refused_ = true;
  output_.flush();
  std::fprintf(stderr, "%s: refused: %s\n", to_string(id).c_str(), why.c_str());
}

Failure write_failure(const sql::Error& error, OperationId id) {
  auto failure = database_failure(error);
  if (error.trouble == sql::Trouble::in_doubt) {
    failure.what += "; whether " + to_string(id) + " was written is not known";
    failure.remedy = "`reconciled show` tells; a second try writes nothing twice";
  }
  return failure;
}

}  // namespace reconciled
