// SPDX-License-Identifier: Apache-2.0
#include "daemon/output.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace reconciled {

void Output::note_failure(int error) {
  closed_ = true;
  if (error != EPIPE && error_ == 0) error_ = error;
}

void Output::write(std::string_view text) {
  if (closed_) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_failure(errno);
}

void Output::flush() {
  errno = 0;
  if (!closed_ && std::fflush(stdout) != 0) note_failure(errno);
}

ExitCode Output::finish(ExitCode code) {
  flush();
  if (error_ == 0) return code;
  const auto why = std::generic_category().message(error_);
  std::fprintf(stderr, "reconciled: the output was lost: stdout: %s\n", why.c_str());
  return ExitCode::unavailable;
}

}  // namespace reconciled
