// SPDX-License-Identifier: Apache-2.0
// Each reason not to delete, made on a real server, with the words that it is told in.
#include <fstream>

#include "sql/function_identities.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/service_calls.hpp"
#include "tests/support/sweep_on_server.hpp"

namespace reconciled::test {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* kTable = "reconciled.grant_consumptions";

struct Refused {
  Refused() { database.execute(insert_consumptions(3, "1 hour")); }
  /// The reasons of one sweep; checks that nothing was deleted and the mark not raised.
  Texts by(SweepBench& bench) {
    bench.events.texts.clear();
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK(database.query_value("SELECT count(*) FROM grant_consumptions") == "3");
    return bench.events.texts;
  }
  Texts by_new_sweeper() {
    SweepBench bench(database);
    return by(bench);
  }
  std::string mark() const { return database.query_value("SELECT cut_off FROM cleanup_mark"); }

  Database database = scratch_database();
};

TEST_CASE("a fresh install refuses nothing, and its functions are this version's", "[refusal]") {
  const auto database = scratch_database();
  SweepBench bench(database);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.texts == Texts{});
  for (const auto& function : sql::kMarkFunctions) {
    CHECK(database.query_value("SELECT encode(sha256(convert_to(prosrc, 'UTF8')), 'hex') FROM "
                               "pg_proc WHERE oid = '" +
                               std::string(function.name) + "()'::regprocedure") ==
          function.sha256);
  }
}

TEST_CASE("a contract in a schema with another name is judged by that name", "[refusal]") {
  const auto database = shared_cluster().empty_database();
  const auto* schema = GENERATE("billing", "Billing 2");
  install_contract(database, schema);
  auto options = SweepBench::options(database.uri());
  options.session.schema = schema;
  SweepBench bench(options);
  CHECK(bench.sweep() == SweepEnd::finished);
  CHECK(bench.events.texts == Texts{});
}

TEST_CASE("G9 the consumption table's trigger must be there and fire always", "[refusal]") {
  Refused refused;
  const std::string name = "grant_consumptions_above_mark";
  const std::string remedy =
      std::string("(as its owner: ALTER TABLE ") + kTable + " ENABLE ALWAYS TRIGGER " + name + ")";
  SECTION("missing") {
    refused.database.execute("DROP TRIGGER " + name + " ON grant_consumptions");
    CHECK_THAT(refused.by_new_sweeper().at(0),
               contains_text(std::string(kTable) + ": trigger " + name + " is missing") &&
                   contains_text("install.sql"));
  }
  SECTION("disabled") {
    refused.database.execute("ALTER TABLE grant_consumptions DISABLE TRIGGER " + name);
    CHECK(refused.by_new_sweeper() ==
          Texts{std::string(kTable) + ": trigger " + name + " is disabled " + remedy});
  }
  SECTION("for the origin, or for a replica only") {
    const std::string mode = GENERATE("ENABLE", "ENABLE REPLICA");
    refused.database.execute("ALTER TABLE grant_consumptions " + mode + " TRIGGER " + name);
    const auto texts = refused.by_new_sweeper();
    REQUIRE(texts.size() == 1);
    CHECK_THAT(texts[0], contains_text("is not ENABLE ALWAYS") && contains_text(remedy));
  }
  SECTION("with a condition it is not the trigger") {
    refused.database.execute("DROP TRIGGER " + name +
                             " ON grant_consumptions; "
                             "CREATE TRIGGER " +
                             name +
                             " AFTER INSERT ON grant_consumptions FOR EACH ROW WHEN (NEW.issuer <> "
                             "'x') EXECUTE FUNCTION refuse_claim_below_mark(); ALTER TABLE "
                             "grant_consumptions ENABLE ALWAYS TRIGGER " +
                             name);
    CHECK_THAT(refused.by_new_sweeper().at(0), contains_text("is missing"));
  }
  SECTION("the table itself") {
    refused.database.execute("ALTER TABLE grant_consumptions RENAME TO elsewhere");
    SweepBench bench(refused.database);
    CHECK(bench.sweep() == SweepEnd::refused);
    CHECK_THAT(bench.events.texts.at(0), contains_text("grant_consumptions: trigger"));
  }
  CHECK(refused.mark() == "-infinity");
}

TEST_CASE("G9 the mark's own triggers count as well", "[refusal]") {
  Refused refused;
  const std::string name = GENERATE("cleanup_mark_never_falls", "cleanup_mark_stays");
  refused.database.execute("ALTER TABLE cleanup_mark DISABLE TRIGGER " + name);
  CHECK(refused.by_new_sweeper() ==
        Texts{"reconciled.cleanup_mark: trigger " + name +
              " is disabled (as its owner: ALTER TABLE reconciled.cleanup_mark ENABLE ALWAYS "
              "TRIGGER " +
              name + ")"});
}

TEST_CASE("G9 the mark's functions must be the installed version's", "[refusal]") {
  Refused refused;
  const std::string name = GENERATE("refuse_claim_below_mark", "refuse_lower_mark");
  struct Case {
    std::string change, text;
  };
  const auto one = GENERATE_COPY(values<Case>(
      {{"CREATE OR REPLACE FUNCTION " + name +
            "() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = reconciled, "
            "pg_temp AS 'BEGIN RETURN NEW; END'",
        "its text differs"},
       {"ALTER FUNCTION " + name + "() OWNER TO postgres", "its owner (postgres) differs"},
       {"ALTER FUNCTION " + name + "() SECURITY INVOKER", "SECURITY DEFINER differs"},
       {"ALTER FUNCTION " + name + "() RESET search_path", "its search_path or another setting"},
       {"ALTER FUNCTION " + name + "() SET search_path = public, reconciled",
        "its search_path or another setting"},
       {"ALTER FUNCTION " + name + "() SET session_replication_role = replica",
        "its search_path or another setting"}}));
  refused.database.execute(one.change);
  const auto texts = refused.by_new_sweeper();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], contains_text("function reconciled." + name +
                                     "() is not the one that this "
                                     "version installs") &&
                           contains_text(one.text) && contains_text("install.sql"));
  CHECK(refused.mark() == "-infinity");
}

TEST_CASE("G9 a mark that cannot be raised refuses", "[refusal]") {
  Refused refused;
  SECTION("no right to") {
    refused.database.execute("REVOKE UPDATE (cut_off) ON cleanup_mark FROM reconciled_retention");
    CHECK_THAT(refused.by_new_sweeper().at(0),
               contains_text("reconciled.cleanup_mark cannot be raised") &&
                   contains_text("GRANT SELECT, UPDATE (cut_off) ON reconciled.cleanup_mark TO "
                                 "reconciled_retention"));
  }
  SECTION("no row") {
    refused.database.execute(
        "ALTER TABLE cleanup_mark DISABLE TRIGGER USER; DELETE FROM cleanup_mark; "
        "ALTER TABLE cleanup_mark ENABLE ALWAYS TRIGGER cleanup_mark_never_falls; "
        "ALTER TABLE cleanup_mark ENABLE ALWAYS TRIGGER cleanup_mark_stays");
    CHECK_THAT(refused.by_new_sweeper().at(0), contains_text("cleanup_mark has no row"));
  }
  SECTION("somebody holds it") {
    Session holder(refused.database, kSuperuser, "");
    holder.execute("BEGIN; LOCK TABLE cleanup_mark IN SHARE MODE");
    auto options = SweepBench::options(refused.database.uri());
    options.session.statement_timeout = 250ms;
    SweepBench bench(options);
    CHECK_THAT(refused.by(bench).at(0),
               contains_text("cannot be raised") && contains_text("[55P03]"));
  }
  SECTION("a constraint of somebody's") {
    refused.database.execute("ALTER TABLE cleanup_mark ADD CHECK (cut_off = '-infinity')");
    CHECK_THAT(refused.by_new_sweeper().at(0), contains_text("[23514]"));
  }
  SECTION("the login role may not act as retention") {
    SweepBench bench(refused.database, kReader);
    CHECK_THAT(refused.by(bench).at(0),
               contains_text("[42501]") && contains_text("GRANT reconciled_retention"));
  }
}

/// What a sweeper is led to can be changed while it runs.
struct RoutedStore final : CleanupStore {
  Awaitable<sql::Result<ServerFacts>> server() override { return to->server(); }
  Awaitable<sql::Result<MarkFacts>> mark() override { return to->mark(); }
  Awaitable<sql::Result<BoundFacts>> bound() override { return to->bound(); }
  Awaitable<sql::Result<std::optional<DatabaseTime>>> raise_mark(DatabaseTime cut_off) override {
    return to->raise_mark(cut_off);
  }
  Awaitable<sql::Result<std::int64_t>> delete_consumptions(DatabaseTime at, int most) override {
    return to->delete_consumptions(at, most);
  }
  Awaitable<sql::Result<IdempotencyBatch>> delete_idempotency_records(int most) override {
    return to->delete_idempotency_records(most);
  }
  CleanupStore* to = nullptr;
};

TEST_CASE("G9 another server, database or a standby is not swept", "[refusal]") {
  const auto first = scratch_database();
  static Cluster other_cluster;
  SweepBench bench(first);
  RoutedStore routed;
  routed.to = &bench.store;
  bench.sweeper.emplace(bench.loop.get_executor(), routed, bench.events,
                        std::make_shared<CleanupTerms>(bench.terms));
  CHECK(bench.sweep() == SweepEnd::finished);

  const bool same_server = GENERATE(true, false);
  const auto second = same_server ? scratch_database() : other_cluster.scratch_database();
  sql::Database door(bench.loop.get_executor(), SweepBench::options(second.uri()));
  SqlCleanupStore elsewhere(door);
  routed.to = &elsewhere;
  CHECK(bench.sweep() == SweepEnd::refused);
  REQUIRE_FALSE(bench.events.texts.empty());
  CHECK_THAT(bench.events.texts[0],
             contains_text(same_server ? "the database was " + first.name()
                                       : "the server's system identifier was ") &&
                 contains_text("when reconciled started") && contains_text("restart reconciled"));
  CHECK(second.query_value("SELECT cut_off FROM cleanup_mark") == "-infinity");
  routed.to = &bench.store;
  CHECK(bench.sweep() == SweepEnd::finished);
}

TEST_CASE("G9 a server in recovery is not swept", "[refusal]") {
  Cluster cluster;
  const auto database = cluster.scratch_database();
  cluster.stop();
  // Nobody to follow: it stays a standby.
  std::ofstream(cluster.directory() / "data" / "standby.signal").flush();
  cluster.start();
  auto options = SweepBench::options(database.uri());
  // Demoted under a session that is open already; a new one looks for a server that can be written.
  const bool connects = GENERATE(true, false);
  if (connects) options.session.connection.target_session_attrs = "any";
  SweepBench bench(options);
  CHECK(bench.sweep() == SweepEnd::refused);
  CHECK_THAT(bench.events.texts.at(0), contains_text("the server is in recovery") &&
                                           contains_text("name the primary in database.uri"));
}

}  // namespace
}  // namespace reconciled::test
