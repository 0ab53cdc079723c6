// SPDX-License-Identifier: Apache-2.0
#include "daemon/recheck_verb.hpp"

#include <optional>
#include <utility>

#include "daemon/actor.hpp"
#include "daemon/seen_operation.hpp"
#include "daemon/verb_report.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

// Of recheck.sql.
enum Column : std::size_t { kDueAt, kWaits };

/// The statement: what has become of it, in words; nullopt: somebody was faster.
Awaitable<Result<std::optional<std::string>>> send_back(sql::Database& database,
                                                        const SeenOperation& seen,
                                                        const std::string& instance,
                                                        const std::string& reason) {
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
  if (rows->size() != 1) co_return std::optional<std::string>();
  if (!rows->boolean(0, kWaits)) co_return std::optional<std::string>("Unknown, due now");
  co_return std::optional<std::string>("Unknown, due at " +
                                       rfc3339({Duration{rows->integer(0, kDueAt)}}) +
                                       ": until then the provider wants no create");
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
      report.line(id,
                  "would be Unknown, due now or when the provider's wait is over; this was a dry "
                  "run, nothing was written");
      continue;
    }
    const auto sent = co_await send_back(bench.database, *seen, instance, wanted.reason);
    if (!sent) co_return sent.error();
    if (*sent)
      report.line(id, **sent);
    else
      report.refused(id, kLost);
  }
  co_return VerbDone{report.code()};
}

}  // namespace

ExitCode run_recheck(const Configuration& configuration, const RecheckInvocation& wanted) {
  VerbReport report;
  const auto code = run_writing(configuration, wanted.dry_run, [&](VerbBench bench) {
    return recheck_all(std::move(bench), configuration.settings.instance, wanted, report);
  });
  return report.finish(code);
}

}  // namespace reconciled
