// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL whose clock a test can move while it runs, by libfaketime (package faketime).
#pragma once

#include <filesystem>
#include <optional>

#include "base/time.hpp"
#include "tests/support/cluster.hpp"

namespace reconciled::test {

class ShiftedCluster {
 public:
  /// Throws std::runtime_error where libfaketime is not installed.
  explicit ShiftedCluster(std::vector<std::string> options = {});
  ~ShiftedCluster();
  ShiftedCluster(const ShiftedCluster&) = delete;
  ShiftedCluster& operator=(const ShiftedCluster&) = delete;

  /// From now on the server's clock is this far from the host's.
  void shift(Duration by);
  Duration shifted_by() const { return by_; }
  Cluster& cluster() { return *cluster_; }

 private:
  std::filesystem::path file_;
  std::optional<Cluster> cluster_;
  Duration by_{};
};

}  // namespace reconciled::test
