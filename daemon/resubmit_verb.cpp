// SPDX-License-Identifier: Apache-2.0
#include "daemon/resubmit_verb.hpp"

#include <utility>

#include "daemon/actor.hpp"
#include "daemon/output.hpp"
#include "daemon/verb_session.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

Awaitable<Result<VerbDone>> turn(VerbBench bench, const std::string& instance,
                                 const ResubmitInvocation& asked, Output& output) {
  sql::Parameters list;
  list.add(std::string(asked.enable ? "true" : "false"))
      .add(asked.reason)
      .add(instance)
      .add(actor());
  const auto rows =
      co_await bench.database.run(sql::statements::switch_resubmission, std::move(list));
  if (!rows) co_return database_failure(rows.error());
  if (rows->size() != 1)
    co_return Failure{ExitCode::schema, "resubmission_switch has no row",
                      "run `psql -f install.sql` of this version as a superuser"};
  const bool was_enabled = rows->boolean(0, 0);
  output.write(std::string("creating again is ") + (asked.enable ? "on" : "off") +
               " for every daemon of this database (it was " + (was_enabled ? "on" : "off") +
               ")\n");
  co_return VerbDone{};
}

}  // namespace

ExitCode run_resubmit(const Configuration& configuration, const ResubmitInvocation& asked) {
  Output output;
  const auto code = run_writing(configuration, false, [&](VerbBench bench) {
    return turn(std::move(bench), configuration.settings.instance, asked, output);
  });
  return output.finish(code);
}

}  // namespace reconciled
