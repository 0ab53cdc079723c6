// SPDX-License-Identifier: Apache-2.0
#include "daemon/recheck_verb.hpp"

#include "daemon/actor.hpp"
#include "daemon/seen_operation.hpp"
#include "daemon/verb_report.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

/// The statement; false: somebody was faster.
Awaitable<Result<bool>> send_back(sql::Database& database, const SeenOperation& seen,
                                  const std::string& instance, const std::string& reason) {
  sql::Parameters list;
  list.add(to_string(seen.lease.operation.id))
      .add(seen.lease.owner_version.value)
      .add(instance)
      .add(actor());
  if (reason.empty())
    list.add_null();
  else
    list.add(reason);
  const auto rows = co_await database.run(sql::statements::recheck, std::move(list));
  if (!rows) co_return write_failure(rows.error(), seen.lease.operation.id);
  co_return rows->size() == 1;
}

Awaitable<Result<VerbDone>> recheck_all(VerbBench bench, const std::string& instance,
                                        const RecheckInvocation& wanted, VerbReport& report) {
  for (const auto& id : wanted.operations) {
    const auto seen = co_await read_operation(bench.database, id);
    if (!seen && seen.error().code != ExitCode::undecided) co_return seen.error();
    if (!seen) {
      report.refused(id, seen.error().what);
      continue;
    }
    report.line(id, describe(*seen));
    if (const auto why = against_recheck(*seen)) {
      report.refused(id, *why);
      continue;
    }
    if (wanted.dry_run) {
      report.line(id, "would be Unknown, due now; this was a dry run, nothing was written");
      continue;
    }
    const auto sent = co_await send_back(bench.database, *seen, instance, wanted.reason);
    if (!sent) co_return sent.error();
    if (*sent)
      report.line(id, "Unknown, due now");
    else
      report.refused(id, kLost);
  }
  co_return VerbDone{report.code()};
}

}  // namespace

ExitCode run_recheck(const Configuration& configuration, const RecheckInvocation& wanted) {
  VerbReport report;
  const auto code = run_writing(configuration, wanted.dry_run, [&](VerbBench bench) {
    return recheck_all(bench, configuration.settings.instance, wanted, report);
  });
  return report.finish(code);
}

}  // namespace reconciled
