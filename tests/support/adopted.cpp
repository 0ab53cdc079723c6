// SPDX-License-Identifier: Apache-2.0
#include "tests/support/adopted.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

/// A file for one test, removed at its end.
struct File {
  explicit File(const std::string& text) {
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) throw std::runtime_error("no file under /tmp");
    ::close(descriptor);
    std::ofstream(path) << text;
  }
  ~File() { std::filesystem::remove(path); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string path = "/tmp/reconciled-view-XXXXXX";
};

}  // namespace

CommandResult adopt(const Database& database, const std::string& view,
                    const std::set<std::string>& left_out) {
  const File view_file(view);
  const File consumptions_file(kConsumptionsView);
  const std::map<std::string, std::string> variables{{"base", "billing.credits"},
                                                     {"view", view_file.path},
                                                     {"operation_id", "credit_no"},
                                                     {"status", "state"},
                                                     {"owner_version", "version"},
                                                     {"owner_token", "locked_by"},
                                                     {"lease_until", "locked_until"},
                                                     {"created_at", "made_at"},
                                                     {"provider_reference", "receipt"},
                                                     {"consumptions", "billing.spent"},
                                                     {"retain_until", "keep_until"},
                                                     {"consumption_operation_id", "credit_no"},
                                                     {"consumptions_view", consumptions_file.path}};
  const std::string adopter = RECONCILED_SOURCE_DIR "/sql/adopt.sql";
  std::vector<std::string> command{"psql",         "--no-psqlrc", "--dbname",
                                   database.uri(), "--file",      adopter};
  for (const auto& [name, value] : variables) {
    if (left_out.count(name) != 0) continue;
    command.emplace_back("--set");
    command.push_back(std::string(name).append("=").append(value));
  }
  return run_command(command);
}

Database adopted_database(const std::string& partitions) {
  auto database = scratch_database();
  database.execute(kServiceTables + partitions);
  const auto done = adopt(database);
  CAPTURE(done.output);
  REQUIRE(done.exit_code == 0);
  CHECK(done.output.empty());
  return database;
}

}  // namespace reconciled::test
