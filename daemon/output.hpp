// SPDX-License-Identifier: Apache-2.0
// Results on stdout. A reader that has seen enough (EPIPE) is no error; output that was lost
// otherwise is.
#pragma once

#include <string_view>

#include "base/failures.hpp"

namespace reconciled {

class Output {
 public:
  void write(std::string_view text);
  /// Before something is written to stderr that belongs after it.
  void flush();
  /// True once nobody reads any more: the rest need not be made.
  bool closed() const noexcept { return closed_; }
  /// Flushes. `code`, or 69 with a line on stderr where something was lost.
  ExitCode finish(ExitCode code);

 private:
  void note_failure(int error);
  bool closed_ = false;
  int error_ = 0;
};

}  // namespace reconciled
