// SPDX-License-Identifier: Apache-2.0
// A real PostgreSQL for tests: one server a test binary, a database of its own for each test case.
#pragma once

#include <filesystem>
#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::test {

class Cluster;

/// The login roles that every scratch database knows, next to the superuser postgres:
/// a member of reconciled_recovery, a member of reconciled_reader, and the service that inserts
/// operations (SELECT, INSERT, UPDATE of its own, no duty role).
inline constexpr const char* kSuperuser = "postgres";
inline constexpr const char* kRecovery = "recovery_login";
inline constexpr const char* kReader = "reader_login";
inline constexpr const char* kService = "service_login";

/// The error's SQLSTATE; its message where libpqxx has kept none. libpqxx 6.4 drops that of 42501.
std::string sqlstate_of(const pqxx::sql_error& error);

/// A database with the contract installed. Dropped at the end of the scope, with whoever is still
/// connected to it. The cluster must outlive it.
class Database {
 public:
  Database(Cluster& cluster, std::string name);
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& name() const { return name_; }
  std::string uri(std::string_view user = kSuperuser) const;
  /// With search_path on the contract's schema, as the daemon has it. Throws what libpqxx throws.
  std::unique_ptr<pqxx::connection> connect(std::string_view user = kSuperuser) const;

  /// Each on a connection and in a transaction of its own; for what must share one, use connect().
  void execute(const std::string& sql, std::string_view user = kSuperuser) const;
  pqxx::result query(const std::string& sql, std::string_view user = kSuperuser) const;
  /// The first column of the first row; "<null>" for null, "<no row>" without a row.
  std::string query_value(const std::string& sql, std::string_view user = kSuperuser) const;
  /// The SQLSTATE that the statement fails with, "" if it does not fail.
  std::string failure_of(const std::string& sql, std::string_view user = kSuperuser) const;

 private:
  Cluster* cluster_;
  std::string name_;  // empty: moved from
};

/// A server in a temporary directory, stopped and removed at the end of the scope. Every function
/// throws std::runtime_error, with the script's words on stderr, if the server does not follow.
class Cluster {
 public:
  /// Options as for postgres, for example {"-c", "fsync=on"}; they hold for every later start.
  explicit Cluster(std::vector<std::string> options = {});
  /// A standby of `stopped`, which it knows as `name` (application_name): a copy of its data, made
  /// while it is down. It streams as soon as that server runs again.
  Cluster(const Cluster& stopped, const std::string& name);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  int port() const { return port_; }
  const std::filesystem::path& directory() const { return directory_; }
  std::string uri(std::string_view database = "postgres", std::string_view user = kSuperuser) const;

  /// The port stays the same over all of these. Modes are pg_ctl's: fast, smart, immediate.
  void start();
  void stop(std::string_view mode = "fast");
  void restart(std::string_view mode = "fast");
  /// SIGKILL to the postmaster.
  void kill();

  /// A copy of a template that is installed once.
  Database scratch_database();
  /// A database without the contract, for tests of the installer itself.
  Database empty_database();

 private:
  void make_template();

  std::filesystem::path directory_;
  std::vector<std::string> options_;
  int port_ = 0;
  int databases_ = 0;
  bool has_template_ = false;
};

/// The test binary's server: started at the first call, stopped at exit.
Cluster& shared_cluster();
inline Database scratch_database() { return shared_cluster().scratch_database(); }

/// Runs sql/install.sql through psql into the database, with `-v schema=` if one is named. Returns
/// what psql printed to both streams; throws std::runtime_error with it if psql failed.
std::string install_contract(const Database& database, std::string_view schema = "");

}  // namespace reconciled::test
