// SPDX-License-Identifier: Apache-2.0
// The installer: what it makes, that a second run changes nothing, and what the CHECKs refuse.
#include <chrono>
#include <future>

#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

using namespace std::chrono_literals;

/// Everything that an install could change, as one text: a changed character is a changed contract.
constexpr const char* kFingerprint = R"(
SELECT string_agg(line, E'\n' ORDER BY line) FROM (
  SELECT format('class %s %s %s owner %s acl %s rls %s', oid, relname, relkind,
                relowner::regrole, relacl, relrowsecurity) AS line
  FROM pg_class WHERE relnamespace = 'reconciled'::regnamespace
  UNION ALL
  SELECT format('column %s %s %s acl %s', attrelid::regclass, attname,
                format_type(atttypid, atttypmod), attacl)
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = 'reconciled'::regnamespace
  UNION ALL
  SELECT format('constraint %s %s', oid, pg_get_constraintdef(oid))
  FROM pg_constraint WHERE connamespace = 'reconciled'::regnamespace
  UNION ALL
  SELECT format('index %s', indexdef) FROM pg_indexes WHERE schemaname = 'reconciled'
  UNION ALL
  SELECT format('policy %s %s %s', oid, polname, pg_get_expr(polwithcheck, polrelid))
  FROM pg_policy
  UNION ALL
  SELECT format('schema %s owner %s acl %s', nspname, nspowner::regrole, nspacl)
  FROM pg_namespace WHERE nspname = 'reconciled'
  UNION ALL
  SELECT format('function %s owner %s acl %s definer %s %s %s', oid, proowner::regrole, proacl,
                prosecdef, proconfig, prosrc)
  FROM pg_proc WHERE pronamespace = 'reconciled'::regnamespace
  UNION ALL
  SELECT format('trigger %s %s %s', oid, tgenabled, pg_get_triggerdef(oid)) FROM pg_trigger
  UNION ALL
  SELECT format('mark %s', cleanup_mark) FROM cleanup_mark
  UNION ALL
  SELECT format('switch %s', resubmission_switch) FROM resubmission_switch
  UNION ALL
  SELECT format('timings %s', contract_timings) FROM contract_timings
  UNION ALL
  SELECT format('version %s', contract_version) FROM contract_version
) AS lines)";

TEST_CASE("installing a second time changes nothing and says nothing", "[contract]") {
  const auto database = shared_cluster().empty_database();
  CHECK(install_contract(database).empty());
  const auto before = database.query_value(kFingerprint);
  CHECK(install_contract(database).empty());
  CHECK(database.query_value(kFingerprint) == before);
}

TEST_CASE("an installation keeps timings that somebody has changed", "[contract]") {
  const auto database = shared_cluster().empty_database();
  install_contract(database);
  database.execute("UPDATE contract_timings SET recovery_lease = '90 seconds'");
  install_contract(database);
  CHECK(database.query_value("SELECT extract(epoch FROM recovery_lease)::int FROM "
                             "contract_timings") == "90");
  CHECK(database.query_value("SELECT count(*) FROM contract_timings") == "1");
}

TEST_CASE("an installation from before creating again gets what it lacks", "[contract]") {
  const auto database = shared_cluster().empty_database();
  install_contract(database);
  const auto switched =
      insert_evidence(1, {{"step", "'switch'"}, {"finding", "NULL"}, {"decision", "'Disabled'"}});
  database.execute(insert_evidence(2));
  database.execute(
      "ALTER TABLE recovery_evidence DROP CONSTRAINT recovery_evidence_step_known, ADD CONSTRAINT "
      "recovery_evidence_step_known CHECK (step IN ('lookup', 'eligibility', 'create', 'handback', "
      "'recheck', 'resolution', 'late', 'executor')); "
      "DROP TABLE resubmission_switch; DROP FUNCTION trip_resubmission CASCADE; "
      "DROP POLICY operator_signs_its_own_steps ON recovery_evidence; "
      "REVOKE INSERT (operation_id, owner_version, owner_token, instance, step, finding, decision, "
      "reason, provider_reference, detail) ON recovery_evidence FROM reconciled_operator");
  REQUIRE(database.failure_of(switched) != "");
  CHECK(install_contract(database).empty());
  CHECK(database.failure_of("SET ROLE reconciled_operator; " + switched) == "");
  database.execute(insert_evidence(1, {{"reason", "'duplicate'"}}));
  CHECK(database.query_value("SELECT enabled FROM resubmission_switch") == "f");
  // A switch that has tripped stays so, whoever installs again.
  const auto before = database.query_value(kFingerprint);
  CHECK(install_contract(database).empty());
  CHECK(database.query_value(kFingerprint) == before);
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "3");
}

TEST_CASE("the contract goes into another schema, next to the first", "[contract]") {
  const auto database = scratch_database();
  CHECK(install_contract(database, "Other One").empty());
  const auto tables = [&](const std::string& schema) {
    return database.query_value(
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND "
        "relnamespace = '" +
        schema + "'::regnamespace");
  };
  CHECK(tables("\"Other One\"") == "11");
  CHECK(tables("reconciled") == "11");
  CHECK(tables("public") == "0");
}

TEST_CASE("the triggers of the contract fire always", "[contract]") {
  const auto database = scratch_database();
  CHECK(database.query_value("SELECT string_agg(concat_ws(' ', tgname, tgrelid::regclass, "
                             "tgenabled), ', ' ORDER BY tgname) FROM pg_trigger WHERE NOT "
                             "tgisinternal") ==
        "cleanup_mark_never_falls cleanup_mark A, cleanup_mark_stays cleanup_mark A, "
        "contract_timings_change_safely contract_timings A, contract_timings_stay "
        "contract_timings A, grant_consumptions_above_mark grant_consumptions A, "
        "resubmission_trips recovery_evidence A");
}

TEST_CASE("everything belongs to the owner, who cannot log in", "[contract]") {
  const auto database = scratch_database();
  CHECK(database.query_value("SELECT count(*) FROM pg_class WHERE relnamespace = "
                             "'reconciled'::regnamespace AND relowner <> "
                             "'reconciled_owner'::regrole") == "0");
  CHECK(database.query_value("SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles "
                             "WHERE rolname LIKE 'reconciled%' AND NOT rolcanlogin") ==
        "reconciled_admission reconciled_operator reconciled_owner reconciled_reader "
        "reconciled_recovery reconciled_retention reconciled_revocation");
}

TEST_CASE("an installer refuses a contract that is not its own", "[contract]") {
  const auto database = scratch_database();
  database.execute("UPDATE contract_version SET version = 2");
  CHECK_THROWS_WITH(install_contract(database), contains_text("contract version 2"));
}

TEST_CASE("an install waits for a role that another database's install is making", "[contract]") {
  Cluster cluster;  // of its own, where the roles do not exist yet
  const auto first = cluster.empty_database();
  const auto second = cluster.empty_database();
  const auto other = first.connect();
  pqxx::work uncommitted(*other);
  uncommitted.exec("CREATE ROLE reconciled_owner NOLOGIN");
  auto installed = std::async(std::launch::async, [&] { return install_contract(second); });
  while (first.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                           "AND application_name = 'psql'") != "1" &&
         installed.wait_for(10ms) == std::future_status::timeout) {
  }
  uncommitted.commit();
  CHECK(installed.get().empty());
}

}  // namespace
}  // namespace reconciled::test
