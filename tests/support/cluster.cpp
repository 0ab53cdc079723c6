// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cluster.hpp"

#include <stdlib.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "tests/support/command.hpp"

namespace reconciled::test {
namespace {

constexpr const char* kTemplate = "contract_template";

std::string run_or_throw(const std::vector<std::string>& arguments) {
  auto result = run_command(arguments);
  if (result.exit_code != 0) {
    throw std::runtime_error(arguments.front() + " failed with " +
                             std::to_string(result.exit_code) + ": " + result.output);
  }
  return std::move(result.output);
}

void control(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), RECONCILED_SOURCE_DIR "/tests/support/cluster");
  run_or_throw(arguments);
}

/// Short and under /tmp: the path of a Unix socket may not be longer than 107 bytes.
std::filesystem::path make_directory() {
  std::string path = "/tmp/reconciled-pg-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + path);
  }
  return path;
}

void execute_on(const std::string& uri, const std::string& sql) {
  pqxx::connection connection(uri);
  pqxx::nontransaction work(connection);
  work.exec(sql);
}

}  // namespace

Cluster::Cluster(std::vector<std::string> options)
    : directory_(make_directory()), options_(std::move(options)) {
  try {
    start();
  } catch (...) {
    std::filesystem::remove_all(directory_);
    throw;
  }
}

Cluster::Cluster(const Cluster& stopped, const std::string& name)
    : directory_(make_directory()),
      options_{"-c",
               "primary_conninfo=host=127.0.0.1 user=postgres port=" +
                   std::to_string(stopped.port_) + " application_name=" + name,
               "-c", "unix_socket_directories=" + directory_.string()} {
  try {
    const auto data = directory_ / "data";
    run_or_throw({"cp", "-a", stopped.directory_ / "data", data});
    std::ofstream(data / "standby.signal").close();
    run_or_throw({"chown", "--reference", data, directory_, data / "standby.signal"});
    start();
  } catch (...) {
    std::filesystem::remove_all(directory_);
    throw;
  }
}

Cluster::~Cluster() {
  try {
    stop("immediate");
  } catch (const std::exception&) {
    // Not running any more, which a test may have wanted.
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void Cluster::start() {
  std::vector<std::string> arguments{"start", directory_.string()};
  arguments.insert(arguments.end(), options_.begin(), options_.end());
  control(std::move(arguments));
  std::ifstream(directory_ / "port") >> port_;
}

void Cluster::stop(std::string_view mode) {
  control({"stop", directory_.string(), std::string(mode)});
}

void Cluster::restart(std::string_view mode) {
  stop(mode);
  start();
}

void Cluster::kill() { control({"kill", directory_.string()}); }

std::string Cluster::uri(std::string_view database, std::string_view user) const {
  return "postgresql://" + std::string(user) + "@127.0.0.1:" + std::to_string(port_) + "/" +
         std::string(database);
}

Database Cluster::empty_database() {
  auto name = "scratch_" + std::to_string(++databases_);
  execute_on(uri(), "CREATE DATABASE " + name);
  return Database(*this, std::move(name));
}

Database Cluster::scratch_database() {
  if (!has_template_) make_template();
  auto name = "scratch_" + std::to_string(++databases_);
  execute_on(uri(), "CREATE DATABASE " + name + " TEMPLATE " + kTemplate);
  return Database(*this, std::move(name));
}

void Cluster::make_template() {
  auto database = empty_database();
  install_contract(database);
  database.execute(
      "CREATE ROLE recovery_login LOGIN IN ROLE reconciled_recovery;"
      "CREATE ROLE reader_login LOGIN IN ROLE reconciled_reader;"
      "CREATE ROLE service_login LOGIN;"
      "GRANT USAGE ON SCHEMA reconciled TO service_login;"
      "GRANT SELECT, INSERT, UPDATE ON reconciled.operations TO service_login;");
  execute_on(uri(), std::string("CREATE DATABASE ") + kTemplate + " TEMPLATE " + database.name());
  has_template_ = true;
}

std::string sqlstate_of(const pqxx::sql_error& error) {
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&error) != nullptr) return "42501";
  return error.sqlstate().empty() ? error.what() : error.sqlstate();
}

Database::Database(Cluster& cluster, std::string name)
    : cluster_(&cluster), name_(std::move(name)) {}

Database::Database(Database&& other) noexcept
    : cluster_(other.cluster_), name_(std::exchange(other.name_, {})) {}

Database::~Database() {
  if (name_.empty()) return;
  try {
    execute_on(cluster_->uri(), "DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
  } catch (const std::exception&) {
    // The server is down, which a test may have wanted; its directory goes anyway.
  }
}

std::string Database::uri(std::string_view user) const { return cluster_->uri(name_, user); }

std::unique_ptr<pqxx::connection> Database::connect(std::string_view user) const {
  auto connection = std::make_unique<pqxx::connection>(uri(user));
  pqxx::nontransaction(*connection).exec("SET search_path = reconciled, pg_temp");
  return connection;
}

void Database::execute(const std::string& sql, std::string_view user) const { query(sql, user); }

pqxx::result Database::query(const std::string& sql, std::string_view user) const {
  const auto connection = connect(user);
  pqxx::nontransaction work(*connection);
  return work.exec(sql);
}

std::string Database::query_value(const std::string& sql, std::string_view user) const {
  const auto rows = query(sql, user);
  if (rows.empty()) return "<no row>";
  return rows[0][0].is_null() ? "<null>" : rows[0][0].c_str();
}

std::string Database::failure_of(const std::string& sql, std::string_view user) const {
  try {
    execute(sql, user);
    return {};
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  }
}

Cluster& shared_cluster() {
  static Cluster cluster;
  return cluster;
}

std::string install_contract(const Database& database, std::string_view schema) {
  const std::string installer = RECONCILED_SOURCE_DIR "/sql/install.sql";
  std::vector<std::string> arguments{"psql",         "--no-psqlrc", "--dbname",
                                     database.uri(), "--file",      installer};
  if (!schema.empty()) {
    arguments.emplace_back("--set");
    arguments.emplace_back("schema=" + std::string(schema));
  }
  return run_or_throw(arguments);
}

}  // namespace reconciled::test
