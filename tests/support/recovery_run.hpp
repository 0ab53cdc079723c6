// SPDX-License-Identifier: Apache-2.0
// The built daemon as `reconciled --once`, over a scratch database and a test provider: what
// becomes of an operation that its executor left.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/cluster.hpp"
#include "tests/support/test_provider.hpp"

namespace reconciled::test {

class RecoveryRun {
 public:
  /// Visible at once and processed at once: the provider's settle time is nothing. Leases and
  /// windows are ended by the test, in the table.
  RecoveryRun(const Database& database, const TestProvider& provider);
  ~RecoveryRun();
  RecoveryRun(const RecoveryRun&) = delete;
  RecoveryRun& operator=(const RecoveryRun&) = delete;

  /// Asks once about whatever is due. The exit code: 0 if all of it is decided, 1 if not. Throws
  /// std::runtime_error, with what the daemon said, for any other.
  int once() const;

 private:
  std::filesystem::path directory_;
};

/// The n-th operation's lease is over.
std::string end_lease(int n);
/// Its window too: nobody may send a create any more.
std::string end_window(int n);

}  // namespace reconciled::test
