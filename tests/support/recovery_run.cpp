// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recovery_run.hpp"

#include <stdlib.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "tests/support/command.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

std::filesystem::path make_directory() {
  auto path = (std::filesystem::temp_directory_path() / "reconciled-once-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + path);
  }
  return path;
}

std::string change(int n, const char* what) {
  return std::string("UPDATE operations SET ") + what + " WHERE operation_id = '" +
         operation_id(n) + "';";
}

}  // namespace

RecoveryRun::RecoveryRun(const Database& database, const TestProvider& provider)
    : directory_(make_directory()) {
  const auto in_directory = [&](const char* name) { return (directory_ / name).string(); };
  std::ofstream(in_directory("credential")) << "sk_test\n";
  std::ofstream(in_directory("reconciled.yaml"))
      << "instance: once\n"
      << "database:\n  uri: " << database.uri(kRecovery) << "\n"
      << "provider:\n  profile: " << RECONCILED_SOURCE_DIR "/tests/support/profile.yaml"
      << "\n  base_url: " << provider.base_url()
      << "\n  credential_file: " << in_directory("credential") << "\n"
      << "retention:\n  consumptions: false\n"
      << "metrics:\n  listen: \"\"\n";
}

RecoveryRun::~RecoveryRun() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

int RecoveryRun::once() const {
  const auto run = run_command(
      {RECONCILED_BINARY, "--config", (directory_ / "reconciled.yaml").string(), "--once"});
  if (run.exit_code != 0 && run.exit_code != 1) {
    throw std::runtime_error("reconciled --once ended with " + std::to_string(run.exit_code) +
                             ": " + run.output);
  }
  return run.exit_code;
}

std::string end_lease(int n) { return change(n, "lease_until = now()"); }

std::string end_window(int n) { return change(n, "lease_until = now(), submit_by = now()"); }

}  // namespace reconciled::test
