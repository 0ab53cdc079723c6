// SPDX-License-Identifier: Apache-2.0
#include "daemon/verb_session.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>

#include "daemon/start_check.hpp"
#include "daemon/wiring.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

Awaitable<Result<VerbDone>> checked(VerbBench bench, const Settings& settings, bool for_writing,
                                    const VerbWork& work) {
  const auto ready = co_await check_contract(bench.database, settings, for_writing);
  if (!ready) co_return ready.error();
  auto done = co_await work(bench);
  co_return done;
}

Result<VerbDone> run(const Configuration& configuration, sql::DatabaseOptions options,
                     bool for_writing, const VerbWork& work) {
  options.connections = 1;
  asio::io_context loop{1};
  sql::Database database(loop.get_executor(), std::move(options));
  Result<VerbDone> result = Failure{ExitCode::defect, "not run"};
  asio::co_spawn(
      loop, checked({loop.get_executor(), database}, configuration.settings, for_writing, work),
      [&](const std::exception_ptr& why, Result<VerbDone> done) {
        if (why) std::rethrow_exception(why);
        result = std::move(done);
        loop.stop();
      });
  loop.run();
  return result;
}

ExitCode told(const Result<VerbDone>& result) {
  if (result) return result->code;
  std::fprintf(stderr, "reconciled: %s\n", to_string(result.error()).c_str());
  return result.error().code;
}

}  // namespace

Result<Configuration> load_for_verb(const std::filesystem::path& file, const Surroundings& around,
                                    ProviderNeed need) {
  if (need == ProviderNeed::asking) return load_configuration(file, around);
  Configuration configuration;
  auto settings = load_settings(file, around.host_name, around.listen);
  if (!settings) return settings.error();
  configuration.settings = std::move(*settings);
  auto password = load_database_password(configuration.settings, around);
  if (!password) return password.error();
  configuration.database_password = std::move(*password);
  if (need == ProviderNeed::none) return configuration;
  auto profile = read_profile_file("provider.profile", profile_path(configuration.settings, file),
                                   configuration.settings);
  if (!profile) return profile.error();
  configuration.profile = std::move(*profile);
  return configuration;
}

ExitCode run_reading(const Configuration& configuration, Duration statement_timeout,
                     const VerbWork& work) {
  auto options = database_options(configuration, Access::reading);
  options.session.statement_timeout = statement_timeout;
  auto& hosts = options.session.connection.target_session_attrs;
  hosts = "read-write";
  auto result = run(configuration, options, false, work);
  if (!result && result.error().code == ExitCode::try_later) {
    std::fputs("reconciled: no server that can be written was found; a standby may be behind\n",
               stderr);
    hosts = "any";
    result = run(configuration, options, false, work);
  }
  if (!result && result.error().code == ExitCode::permission) {
    options.session.role = kOperatorRole;
    // What it may not see by itself is the failure to tell, not that it is no operator.
    const auto as_operator = run(configuration, options, false, work);
    if (as_operator || as_operator.error().code != ExitCode::permission) result = as_operator;
  }
  return told(result);
}

ExitCode run_writing(const Configuration& configuration, bool dry_run, const VerbWork& work) {
  auto options = database_options(configuration, Access::recovery);
  options.session.role = kOperatorRole;
  options.session.read_only = dry_run;
  return told(run(configuration, std::move(options), !dry_run, work));
}

Failure database_failure(const sql::Error& error) {
  return {sql::exit_code(error), "database: " + sql::to_string(error)};
}

}  // namespace reconciled
