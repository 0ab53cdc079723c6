// SPDX-License-Identifier: Apache-2.0
#include "daemon/probe_source.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/overloaded.hpp"
#include "daemon/files.hpp"
#include "daemon/start_check.hpp"
#include "daemon/wiring.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// The operation as JSON text.
Awaitable<Result<std::string>> select(sql::Database& database, const Settings& settings,
                                      OperationId id) {
  const auto now = co_await check_contract(database, settings, false);
  if (!now) co_return now.error();
  sql::Parameters parameters;
  parameters.add(to_string(id));
  const auto rows = co_await database.run(sql::statements::probe_operation, std::move(parameters));
  if (!rows)
    co_return Failure{sql::exit_code(rows.error()), "database: " + sql::to_string(rows.error())};
  if (rows->size() == 0)
    co_return Failure{ExitCode::undecided, "no operation " + to_string(id) + " is visible",
                      "ask as the role that the daemon has"};
  co_return std::string(rows->text(0, 0));
}

Result<std::string> from_database(OperationId id, const Configuration& configuration) {
  asio::io_context loop{1};
  sql::Database database(loop.get_executor(), database_options(configuration, Access::reading));
  Result<std::string> result{Failure{}};
  asio::co_spawn(loop, select(database, configuration.settings, id),
                 [&](const std::exception_ptr& why, Result<std::string> selected) {
                   if (why) std::rethrow_exception(why);
                   result = std::move(selected);
                   loop.stop();
                 });
  loop.run();
  return result;
}

}  // namespace

Result<ProbeOperation> probed_operation(const ProbeInvocation& invocation,
                                        const Configuration& configuration) {
  const auto text = std::visit(
      overloaded{[](const std::filesystem::path& file) {
                   return Result<std::string>{read_file(file, yaml::kMostBytes)};
                 },
                 [&](const OperationId& id) { return from_database(id, configuration); }},
      invocation.operation);
  if (!text) return text.error();
  return read_probe_operation(*text, host_time());
}

}  // namespace reconciled
