// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shifted_cluster.hpp"

#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace reconciled::test {
namespace {

std::string library() {
  namespace fs = std::filesystem;
  for (const auto& folder : fs::directory_iterator("/usr/lib")) {
    const auto path = folder.path() / "faketime" / "libfaketime.so.1";
    if (fs::exists(path)) return path;
  }
  throw std::runtime_error("libfaketime is missing: install the package faketime");
}

/// The environment of what is started in this scope.
class Environment {
 public:
  void set(const char* name, const std::string& value) {
    ::setenv(name, value.c_str(), 1);
    names_.push_back(name);
  }
  ~Environment() {
    for (const auto* name : names_) ::unsetenv(name);
  }

 private:
  std::vector<const char*> names_;
};

}  // namespace

ShiftedCluster::ShiftedCluster(std::vector<std::string> options) {
  std::string path = "/tmp/reconciled-clock-XXXXXX";
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) throw std::runtime_error("mkstemp " + path);
  file_ = path;
  std::filesystem::permissions(file_, std::filesystem::perms(0644));
  shift(Duration::zero());
  Environment environment;
  environment.set("SERVER_PRELOAD", library());
  environment.set("FAKETIME_TIMESTAMP_FILE", path);
  environment.set("FAKETIME_NO_CACHE", "1");
  environment.set("FAKETIME_DONT_FAKE_MONOTONIC", "1");
  cluster_.emplace(std::move(options));
}

ShiftedCluster::~ShiftedCluster() {
  cluster_.reset();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void ShiftedCluster::shift(Duration by) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(by).count();
  // One write: the server reads it at any moment.
  std::ofstream(file_) << (seconds < 0 ? "" : "+") + std::to_string(seconds) + "\n" << std::flush;
  by_ = by;
}

}  // namespace reconciled::test
