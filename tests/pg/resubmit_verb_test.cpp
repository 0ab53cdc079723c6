// SPDX-License-Identifier: Apache-2.0
// Creating again as an operator meets it: what a start refuses, and the verb that switches it.
#include <filesystem>
#include <fstream>

#include "tests/support/command.hpp"
#include "tests/support/resubmit_bench.hpp"

namespace reconciled::test {
namespace {

namespace fs = std::filesystem;

/// A configuration with creating again on, and the built binary over it.
struct World {
  Database database = scratch_database();
  TestProvider provider;
  fs::path directory;
  std::string profile = kResubmitProfile;
  std::string user = kSuperuser;
  std::string function = "public.may_create";

  World() {
    auto path = (fs::temp_directory_path() / "reconciled-resubmit-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    directory = path;
    database.execute(kEligibility);
  }
  ~World() {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }

  CommandResult run(std::vector<std::string> arguments) {
    const auto file = [&](const char* name) { return (directory / name).string(); };
    std::ofstream(file("credential")) << "sk\n";
    std::ofstream(file("profile.yaml")) << profile;
    std::ofstream(file("c.yaml"))
        << "instance: verb\ndatabase:\n  uri: " << database.uri(user)
        << "\nprovider:\n  profile: profile.yaml\n  base_url: " << provider.base_url()
        << "\n  credential_file: " << file("credential") << "\nrecovery:\n  resubmit: true\n"
        << (function.empty() ? "" : "  eligibility_function: " + function + "\n")
        << "metrics:\n  listen: \"\"\n";
    arguments.insert(arguments.begin(), {RECONCILED_BINARY, "--config", file("c.yaml")});
    return run_command(arguments);
  }
  std::string evidence() {
    return database.query_value(
        "SELECT coalesce(string_agg(concat_ws(' ', operation_id, instance, step, decision, reason, "
        "detail ->> 'login', detail ? 'actor'), ', ' ORDER BY evidence_id), 'none') FROM "
        "recovery_evidence WHERE step = 'switch'");
  }
};

constexpr char kNil[] = "00000000-0000-0000-0000-000000000000";

TEST_CASE("the built daemon creates again, and --check-config shows why it may", "[resubmit]") {
  World world;
  world.database.execute(insert_operation(1));
  CHECK(world.run({"--check-config"}).exit_code == 0);
  const auto once = world.run({"--once"});
  CAPTURE(once.output);
  CHECK(once.exit_code == 0);
  CHECK(once.output.find("resubmitted") != std::string::npos);
  CHECK(world.database.query_value("SELECT status FROM operations") == "Succeeded");
}

TEST_CASE("G14 a start names each thing that creating again lacks", "[resubmit]") {
  World world;
  world.function = "";
  world.profile.erase(world.profile.find("create:"));
  for (const auto& [from, to] :
       {std::pair{"concurrent_same_key: atomic", "concurrent_same_key: undocumented"},
        std::pair{"same_parameters: enforced", "same_parameters: undocumented"},
        std::pair{"key_retention: permanent", "key_retention: none"}})
    world.profile.replace(world.profile.find(from), std::string(from).size(), to);
  for (const auto* how : {"--once", "--check-config"}) {
    const auto start = world.run({how});
    CAPTURE(how, start.output);
    CHECK(start.exit_code == 78);
    for (const auto* missing :
         {"the profile's create", "guarantees.concurrent_same_key", "guarantees.same_parameters",
          "guarantees.key_retention", "recovery.eligibility_function"})
      CHECK(start.output.find(std::string("recovery.resubmit needs ") + missing) !=
            std::string::npos);
  }
}

TEST_CASE("a start looks at the eligibility function and at the switch", "[resubmit]") {
  struct Row {
    const char* change;
    const char* function;
    int exit_code;
    const char* says;
  };
  const Row rows[] = {
      {"SELECT 1", "public.missing", 78, "does not exist"},
      {"REVOKE ALL ON FUNCTION public.may_create FROM PUBLIC", "public.may_create", 77,
       "may not call it"},
      {"CREATE FUNCTION public.yes(uuid) RETURNS boolean LANGUAGE sql AS 'SELECT true'",
       "public.yes", 78, "does not return (outcome text, decision_id text, reason text)"},
      {"ALTER TABLE recovery_evidence DISABLE TRIGGER resubmission_trips", "public.may_create", 65,
       "resubmission_trips"},
      {"UPDATE resubmission_switch SET enabled = false, reason = 'tested'", "public.may_create", 0,
       "creating again is off for every daemon of this database: tested"}};
  for (const auto& row : rows) {
    World world;
    world.database.execute(row.change);
    world.function = row.function;
    const auto start = world.run({"--once"});
    CAPTURE(row.change, start.output);
    CHECK(start.exit_code == row.exit_code);
    CHECK(start.output.find(row.says) != std::string::npos);
  }
}

TEST_CASE("a person turns creating again off and on, with evidence", "[resubmit]") {
  World world;
  const auto off = world.run({"resubmit", "--disable", "--reason", "audit"});
  CAPTURE(off.output);
  CHECK(off.exit_code == 0);
  CHECK(off.output == "creating again is off for every daemon of this database (it was on)\n");
  CHECK(world.database.query_value("SELECT concat_ws(' ', enabled, reason, changed_by) FROM "
                                   "resubmission_switch") == "f audit postgres");
  const auto on = world.run({"resubmit", "--enable", "--reason", "audited"});
  CHECK(on.output == "creating again is on for every daemon of this database (it was off)\n");
  CHECK(world.database.query_value("SELECT concat_ws(' ', enabled, reason) FROM "
                                   "resubmission_switch") == "t audited");
  const std::string start = std::string(kNil) + " verb switch ";
  CHECK(world.evidence() ==
        start + "Disabled audit postgres t, " + start + "Enabled audited postgres t");
}

TEST_CASE("only an operator may switch, and only with a reason", "[resubmit]") {
  World world;
  CHECK(world.run({"resubmit", "--enable"}).exit_code == 64);
  CHECK(world.run({"resubmit", "--enable", "--disable", "--reason", "r"}).exit_code == 64);
  CHECK(world.run({"resubmit", "--reason", "r"}).exit_code == 64);
  CHECK(world.run({"resubmit", "--enable", "--reason", " "}).exit_code == 64);
  world.user = kRecovery;
  CHECK(world.run({"resubmit", "--disable", "--reason", "r"}).exit_code == 77);
  CHECK(world.evidence() == "none");
  // Nor by hand: recovery has no right to the switch, and cannot sign for a person.
  const std::string as_recovery = "SET ROLE reconciled_recovery; ";
  CHECK(world.database.failure_of(as_recovery + "UPDATE resubmission_switch SET enabled = true") !=
        "");
  CHECK(world.database.failure_of(as_recovery + insert_evidence(1, {{"step", "'switch'"}})) != "");
  CHECK(world.database.failure_of("SET ROLE reconciled_operator; " +
                                  insert_evidence(1, {{"step", "'create'"}})) != "");
}

}  // namespace
}  // namespace reconciled::test
