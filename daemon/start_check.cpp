// SPDX-License-Identifier: Apache-2.0
#include "daemon/start_check.hpp"

#include <fmt/format.h>

#include "daemon/relations.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace statements = sql::statements;

constexpr char kInstall[] =
    "run `psql -f install.sql` of this version as a superuser, with -v schema=NAME for another "
    "schema";

// In the order of contract_timings.sql.
constexpr Duration Timings::*kTimings[] = {&Timings::admission_leeway,
                                           &Timings::billing_call_timeout,
                                           &Timings::store_call_timeout,
                                           &Timings::execution_lease,
                                           &Timings::recovery_lease,
                                           &Timings::lease_margin,
                                           &Timings::submission_window,
                                           &Timings::provider_clock_margin,
                                           &Timings::admission_transaction_bound,
                                           &Timings::replication_wait_bound,
                                           &Timings::largest_clock_step,
                                           &Timings::cleanup_margin,
                                           &Timings::maximum_grant_lifetime,
                                           &Timings::issue_time_skew,
                                           &Timings::idempotency_stale_after,
                                           &Timings::idempotency_record_life};

Failure failure_of(const sql::Error& error, const Settings& settings) {
  const auto code = sql::exit_code(error);
  std::string remedy;
  if (code == ExitCode::schema) remedy = kInstall;
  if (code == ExitCode::permission)
    remedy =
        "the login role of database.uri needs its password, its pg_hba.conf entry, and membership "
        "in the reconciled_* roles";
  if (code == ExitCode::try_later)
    remedy = "a standby or a read-only server was reached; name the primary in database.uri";
  return {code,
          fmt::format("database (schema {}): {}", settings.database.schema, sql::to_string(error)),
          remedy};
}

std::optional<Failure> judge_version(const sql::Rows& rows, const Settings& settings) {
  const auto version = rows.size() == 1 ? rows.integer(0, 0) : 0;
  if (version == kContractVersion) return std::nullopt;
  return Failure{
      ExitCode::schema,
      fmt::format("the contract in schema {} has version {}, this binary knows version {}",
                  settings.database.schema, version, kContractVersion),
      version < kContractVersion ? kInstall
                                 : "install the reconciled that belongs to that contract"};
}

std::optional<Failure> judge_safety(const sql::Rows& rows, const Settings& settings) {
  const auto refuse = [&](const char* what) {
    return Failure{ExitCode::schema,
                   fmt::format("operations in schema {}: {}", settings.database.schema, what),
                   kInstall};
  };
  if (rows.size() != 1 || !rows.boolean(0, 0)) return refuse("not found");
  if (!rows.boolean(0, 1))
    return refuse("a view without security_invoker = true: the policies do not hold through it");
  if (!rows.boolean(0, 2))
    return refuse("row security is off, so nothing keeps recovery from writing Failed");
  if (!rows.boolean(0, 3)) return refuse("the policies that bind reconciled_recovery are missing");
  if (!rows.boolean(0, 4))
    return refuse(
        "reconciled_recovery is not bound by the policies (a superuser, BYPASSRLS or the owner)");
  return std::nullopt;
}

std::optional<Failure> judge_timings(const sql::Rows& rows, const Settings& settings) {
  if (rows.size() != 1) return Failure{ExitCode::schema, "contract_timings has no row", kInstall};
  Timings database;
  for (std::size_t column = 0; column < std::size(kTimings); ++column)
    database.*kTimings[column] = Duration{rows.integer(0, column)};
  std::string differences;
  for (const auto& difference : compare_timings(settings.timings, database))
    differences +=
        fmt::format("{}{}: {} in the file, {} in contract_timings", differences.empty() ? "" : "\n",
                    difference.key, to_string(difference.file), to_string(difference.database));
  if (differences.empty()) return std::nullopt;
  return Failure{ExitCode::configuration, differences,
                 "the service's functions and this daemon must agree: change the file or the row "
                 "in contract_timings"};
}

}  // namespace

Awaitable<Result<DatabaseTime>> check_contract(sql::Database& database, const Settings& settings,
                                               bool for_writing) {
  sql::Parameters schema;
  schema.add(settings.database.schema);
  const auto facts = co_await database.run(statements::session_facts, std::move(schema));
  if (!facts) co_return failure_of(facts.error(), settings);
  if (facts->is_null(0, 6))
    co_return failure_of({sql::Trouble::refused, "42P01", "no such schema"}, settings);
  if (!facts->boolean(0, 6))
    co_return failure_of({sql::Trouble::refused, "42501", "no USAGE on the schema"}, settings);
  if (facts->integer(0, 1) < kOldestServer)
    co_return Failure{ExitCode::schema, "this PostgreSQL is older than 15", "upgrade the server"};
  if (for_writing && (facts->boolean(0, 2) || facts->boolean(0, 3)))
    co_return failure_of({sql::Trouble::refused, "25006", "the server is read-only"}, settings);
  const auto version = co_await database.run(statements::contract_version, {});
  if (!version) co_return failure_of(version.error(), settings);
  if (const auto refused = judge_version(*version, settings)) co_return *refused;
  co_return DatabaseTime{Duration{facts->integer(0, 5)}};
}

Awaitable<Result<DatabaseTime>> check_database(sql::Database& database, const Settings& settings) {
  const auto now = co_await check_contract(database, settings, true);
  if (!now) co_return now.error();
  const auto safety = co_await database.run(statements::contract_safety, {});
  if (!safety) co_return failure_of(safety.error(), settings);
  if (const auto refused = judge_safety(*safety, settings)) co_return *refused;
  const auto timings = co_await database.run(statements::contract_timings, {});
  if (!timings) co_return failure_of(timings.error(), settings);
  if (const auto refused = judge_timings(*timings, settings)) co_return *refused;
  co_return *now;
}

}  // namespace reconciled
