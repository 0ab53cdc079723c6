// SPDX-License-Identifier: Apache-2.0
// The door to PostgreSQL against a real server: sessions, their settings, and what a refusal means.
#include "sql/database.hpp"

#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/database_bench.hpp"

namespace reconciled::test {
namespace {

using sql::Trouble;

constexpr sql::Statement kOne{"one", "SELECT 1"};
constexpr sql::Statement kPid{"pid", "SELECT pg_backend_pid()"};
constexpr sql::Statement kSettings{
    "settings",
    "SELECT concat_ws(' ', current_user, current_setting('search_path'), "
    "current_setting('statement_timeout'), current_setting('lock_timeout'), "
    "current_setting('transaction_read_only'), current_setting('client_encoding'))"};
constexpr char kOurSettings[] = "reconciled_recovery reconciled, pg_temp 20s 8s off UTF8";

/// Returns when the backend is gone, and its last words with it: they were sent before.
void end_session(DatabaseBench& bench, const Database& database, const std::string& pid) {
  database.execute("SELECT pg_terminate_backend(" + pid + ")");
  until(bench.loop, [&] {
    asio::post(bench.loop, [] {});
    return database.query_value("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == "0";
  });
}

TEST_CASE("arguments arrive as they are, null and quotes among them", "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  sql::Array array;
  array.add("a\"b\\c,{}'").add_null().add("NULL").add("");
  sql::Parameters list;
  list.add(std::move(array)).add_null().add(std::int64_t{-7}).add("it's $1");
  const auto rows = bench.run(
      {"echo", "SELECT e, $2::text, $3::bigint, $4::text FROM unnest($1::text[]) AS e"}, list);
  REQUIRE(rows.has_value());
  REQUIRE(rows->size() == 4);
  CHECK(rows->text(0, 0) == "a\"b\\c,{}'");
  CHECK(rows->is_null(1, 0));
  CHECK(rows->text(2, 0) == "NULL");
  CHECK_FALSE(rows->is_null(3, 0));
  CHECK(rows->text(3, 0).empty());
  CHECK(rows->is_null(0, 1));
  CHECK(rows->integer(0, 2) == -7);
  CHECK(rows->text(0, 3) == "it's $1");
}

TEST_CASE("every new session has its role, search_path and timeouts", "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  CHECK(bench.cell(kSettings) == kOurSettings);
  end_session(bench, database, bench.cell(kPid));
  CHECK(bench.cell(kSettings) == kOurSettings);
}

TEST_CASE("the session says who it is and asks for a server that can be written", "[database]") {
  const auto database = scratch_database();
  auto options = recovery_options(database.uri(kRecovery) + "?application_name=x");
  options.session.connection.application_name = "o'brien %41&x=1";
  DatabaseBench bench(options);
  CHECK(bench.cell({"name", "SELECT current_setting('application_name')"}) == "o'brien %41&x=1");
}

TEST_CASE("G11 a read-only session writes nothing and needs no duty role", "[database]") {
  const auto database = scratch_database();
  auto options = recovery_options(database.uri(kSuperuser));
  options.session.role.reset();
  options.session.read_only = true;
  DatabaseBench bench(options);
  const auto rows = bench.run({"write", "UPDATE operations SET owner_version = 2"});
  REQUIRE(rows.has_error());
  CHECK(sql::is_read_only(rows.error()));
  CHECK(rows.error().trouble == Trouble::refused);
}

TEST_CASE("an idle session that the server closed costs a reconnect and no doubt", "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  const auto first = bench.cell(kPid);
  end_session(bench, database, first);
  const auto second = bench.cell(kPid);
  CHECK(second.find("error") == std::string::npos);
  CHECK(second != first);
}

TEST_CASE("more callers than sessions wait and are all served", "[database]") {
  const auto database = scratch_database();
  auto options = recovery_options(database.uri(kRecovery));
  options.connections = 2;
  DatabaseBench bench(options);
  std::vector<std::shared_ptr<Outcome<DatabaseBench::Answer>>> calls;
  for (int i = 0; i < 9; ++i) calls.push_back(bench.begin(kPid));
  std::set<std::string> sessions;
  for (const auto& call : calls) {
    const auto rows = bench.end(call);
    REQUIRE(rows.has_value());
    sessions.emplace(rows->text(0, 0));
  }
  CHECK(sessions.size() == 2);
  CHECK(bench.database->statements() == 9);
}

TEST_CASE("a server's refusal keeps its code and has changed nothing", "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  for (const auto* state : {"22003", "23505", "23514", "42501", "55P03", "40P01", "40001", "P0001",
                            "42P01", "42883", "53100", "53200", "57014", "RC001"}) {
    INFO(state);
    const auto text =
        std::string("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '") + state + "'; END $$";
    const auto rows = bench.run({state, text.c_str()});
    REQUIRE(rows.has_error());
    CHECK(rows.error().trouble == Trouble::refused);
    CHECK(rows.error().sqlstate == state);
    CHECK(rows.error().message.find('\n') == std::string::npos);
  }
  CHECK(bench.cell(kOne) == "1");
}

TEST_CASE("words for a connection that broke behind a pooler are doubt", "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  for (const auto* state : {"08006", "08P01", "57P01", "25P03", "25P04"}) {
    INFO(state);
    const auto text =
        std::string("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '") + state + "'; END $$";
    const auto rows = bench.run({state, text.c_str()});
    REQUIRE(rows.has_error());
    CHECK(rows.error().trouble == Trouble::in_doubt);
    CHECK(bench.cell(kSettings) == kOurSettings);
  }
}

TEST_CASE("a statement that takes too long is refused by the server, and the session stays",
          "[database]") {
  const auto database = scratch_database();
  auto options = recovery_options(database.uri(kRecovery));
  options.session.statement_timeout = 1s;
  DatabaseBench bench(options);
  const auto pid = bench.cell(kPid);
  const auto rows = bench.run({"sleep", "SELECT pg_sleep(60)"});
  REQUIRE(rows.has_error());
  CHECK(rows.error().trouble == Trouble::refused);
  CHECK(rows.error().sqlstate == "57014");
  CHECK(bench.cell(kPid) == pid);
}

TEST_CASE("statements that were forgotten are prepared again on a session that is whole",
          "[database]") {
  const auto database = scratch_database();
  DatabaseBench bench(database.uri(kRecovery));
  CHECK(bench.cell(kSettings) == kOurSettings);
  REQUIRE(bench.run({"discard", "DISCARD ALL"}).has_value());
  const auto lost = bench.run(kSettings);
  REQUIRE(lost.has_error());
  CHECK(lost.error().sqlstate == "26000");
  CHECK(lost.error().trouble == Trouble::not_connected);
  CHECK(bench.cell(kSettings) == kOurSettings);
}

/// A server of its own that asks these roles for a password, or lets nobody write.
struct StrictServer {
  StrictServer() {
    const auto file = server.directory() / "data" / "pg_hba.conf";
    std::stringstream rules;
    rules << "host all with_password 127.0.0.1/32 scram-sha-256\n" << std::ifstream(file).rdbuf();
    std::ofstream(file) << rules.str();
    execute("CREATE ROLE with_password LOGIN PASSWORD 'p@ss/w:rd %41&=)['");
    execute("CREATE ROLE reader LOGIN");
    execute("ALTER ROLE reader SET default_transaction_read_only = on");
    execute("SELECT pg_reload_conf()");
  }
  void execute(const std::string& sql) {
    pqxx::connection connection(server.uri());
    pqxx::nontransaction(connection).exec(sql);
  }
  Cluster server;
};

TEST_CASE("why nobody can connect decides the exit code, whatever words the server uses",
          "[database]") {
  StrictServer strict;
  struct Case {
    const char *user, *database, *role, *state;
    ExitCode code;
  };
  for (const auto& wanted :
       std::vector<Case>{{"with_password", "postgres", nullptr, "28P01", ExitCode::permission},
                         {"nobody_here", "postgres", nullptr, "28000", ExitCode::permission},
                         {"postgres", "no_database", nullptr, "3D000", ExitCode::configuration},
                         {"reader", "postgres", nullptr, "25006", ExitCode::try_later},
                         {"reader", "postgres", "postgres", "25006", ExitCode::try_later}}) {
    INFO(wanted.user << " " << wanted.database);
    auto options = recovery_options(strict.server.uri(wanted.database, wanted.user));
    options.session.connection.password = "wrong";
    options.session.role.reset();
    if (wanted.role != nullptr) options.session.role = wanted.role;
    DatabaseBench bench(options);
    const auto rows = bench.run(kOne);
    REQUIRE(rows.has_error());
    CHECK(rows.error().trouble == Trouble::not_connected);
    CHECK(rows.error().sqlstate == wanted.state);
    CHECK(sql::exit_code(rows.error()) == wanted.code);
  }
}

TEST_CASE("passwords, socket directories and several hosts reach the server as people write them",
          "[database]") {
  StrictServer strict;
  const auto port = std::to_string(strict.server.port());
  auto directory = strict.server.directory().string();
  const auto encoded = [&directory] {
    std::string text;
    for (const char c : directory) text += c == '/' ? "%2F" : std::string(1, c);
    return text;
  }();
  const std::string password = "p%40ss%2Fw%3Ard%20%2541%26%3D%29%5B";
  for (const auto& uri : std::vector<std::string>{
           "postgresql://with_password:" + password + "@127.0.0.1:" + port + "/postgres",
           "host=127.0.0.1 port=" + port +
               " user=with_password dbname=postgres password='p@ss/w:rd %41&=)['",
           "postgresql://postgres@" + encoded + "/postgres?port=" + port,
           "postgresql://postgres@127.0.0.1:1,127.0.0.1:" + port + "/postgres"}) {
    INFO(uri);
    auto options = recovery_options(uri);
    options.session.role.reset();
    DatabaseBench bench(options);
    CHECK(bench.cell(kOne) == "1");
  }
}

TEST_CASE("a role that may not be set is a missing permission", "[database]") {
  const auto database = scratch_database();
  auto options = recovery_options(database.uri(kService));
  DatabaseBench bench(options);
  const auto rows = bench.run(kOne);
  REQUIRE(rows.has_error());
  CHECK(rows.error().trouble == Trouble::not_connected);
  CHECK(sql::exit_code(rows.error()) == ExitCode::permission);
}

TEST_CASE("a URI that cannot be read is the configuration's fault", "[database]") {
  DatabaseBench bench(recovery_options("postgresql://[::1/x"));
  const auto rows = bench.run(kOne);
  REQUIRE(rows.has_error());
  CHECK(sql::exit_code(rows.error()) == ExitCode::configuration);
}

}  // namespace
}  // namespace reconciled::test
