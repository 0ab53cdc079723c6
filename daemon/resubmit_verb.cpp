// SPDX-License-Identifier: Apache-2.0
#include "daemon/resubmit_verb.hpp"

#include <pwd.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>

#include "daemon/output.hpp"
#include "daemon/start_check.hpp"
#include "daemon/wiring.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

constexpr char kOperatorRole[] = "reconciled_operator";

/// Who sits at the terminal: what sudo says, else the process's own user.
std::string actor() {
  // No thread has been started that changes the environment or asks for users.
  if (const char* name = std::getenv("SUDO_USER");  // NOLINT(concurrency-mt-unsafe)
      name != nullptr && *name != '\0')
    return name;
  const auto* user = getpwuid(getuid());  // NOLINT(concurrency-mt-unsafe)
  return user == nullptr ? "uid " + std::to_string(getuid()) : user->pw_name;
}

/// Whether it was on before.
Awaitable<Result<bool>> turn(sql::Database& database, const Settings& settings,
                             const ResubmitInvocation& asked) {
  const auto ready = co_await check_contract(database, settings, true);
  if (!ready) co_return ready.error();
  sql::Parameters list;
  list.add(std::string(asked.enable ? "true" : "false"))
      .add(asked.reason)
      .add(settings.instance)
      .add(actor());
  const auto rows = co_await database.run(sql::statements::switch_resubmission, std::move(list));
  if (!rows)
    co_return Failure{sql::exit_code(rows.error()), "database: " + sql::to_string(rows.error())};
  if (rows->size() != 1)
    co_return Failure{ExitCode::schema, "resubmission_switch has no row",
                      "run `psql -f install.sql` of this version as a superuser"};
  co_return rows->boolean(0, 0);
}

}  // namespace

ExitCode run_resubmit(const Configuration& configuration, const ResubmitInvocation& asked) {
  auto options = database_options(configuration, Access::recovery);
  options.session.role = kOperatorRole;
  options.connections = 1;
  asio::io_context loop{1};
  sql::Database database(loop.get_executor(), std::move(options));
  Result<bool> was_enabled = Failure{ExitCode::defect, "not run"};
  asio::co_spawn(loop, turn(database, configuration.settings, asked),
                 [&](const std::exception_ptr& why, Result<bool> turned) {
                   if (why) std::rethrow_exception(why);
                   was_enabled = std::move(turned);
                   loop.stop();
                 });
  loop.run();
  if (!was_enabled) {
    std::fprintf(stderr, "%s\n", to_string(was_enabled.error()).c_str());
    return was_enabled.error().code;
  }
  Output output;
  output.write(std::string("creating again is ") + (asked.enable ? "on" : "off") +
               " for every daemon of this database (it was " + (*was_enabled ? "on" : "off") +
               ")\n");
  return output.finish(ExitCode::done);
}

}  // namespace reconciled
