// SPDX-License-Identifier: Apache-2.0
#include "daemon/seen_operation.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "recovery/sql_store.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

// Of read_operation.sql, after the takeover's own columns.
enum Column : std::size_t { kStatus = 12, kOwned, kEvidenceId, kFinding, kDecision, kReason };

std::string in_flight(const SeenOperation& seen) {
  return "in flight: a daemon owns it until " + rfc3339(seen.lease.due_since);
}

}  // namespace

Awaitable<Result<SeenOperation>> read_operation(sql::Database& database, OperationId id) {
  sql::Parameters list;
  list.add(to_string(id));
  const auto rows = co_await database.run(sql::statements::read_operation, std::move(list));
  if (!rows) co_return database_failure(rows.error());
  if (rows->size() == 0)
    co_return Failure{ExitCode::undecided, "no operation " + to_string(id) + " is visible"};
  SeenOperation seen;
  seen.lease = read_lease(*rows, 0);
  seen.status = rows->text(0, kStatus);
  seen.owned = rows->boolean(0, kOwned);
  if (!rows->is_null(0, kEvidenceId)) seen.evidence_id = rows->integer(0, kEvidenceId);
  seen.finding = rows->text(0, kFinding);
  seen.decision = rows->text(0, kDecision);
  seen.reason = rows->text(0, kReason);
  co_return seen;
}

std::string describe(const SeenOperation& seen) {
  const auto last = seen.evidence_id == 0 ? std::string("no look so far")
                                          : fmt::format("the last look: {}, {} ({})", seen.finding,
                                                        seen.decision, seen.reason);
  return fmt::format("{} at version {}; {}", printable(seen.status), seen.lease.owner_version.value,
                     printable(last));
}

std::optional<std::string> against_recheck(const SeenOperation& seen) {
  if (seen.owned && (seen.status == "Admitted" || seen.status == "Unknown")) return in_flight(seen);
  if (seen.status != "NeedsReconciliation")
    return fmt::format("{}: only NeedsReconciliation can be sent back", printable(seen.status));
  return std::nullopt;
}

std::optional<std::string> against_resolve(const SeenOperation& seen, OwnerVersion expected,
                                           Resolution as, Duration settle_time) {
  if (seen.lease.owner_version != expected)
    return fmt::format("at version {} by now, not {}: look at it again",
                       seen.lease.owner_version.value, expected.value);
  if (seen.owned && (seen.status == "Admitted" || seen.status == "Unknown")) return in_flight(seen);
  if (seen.status != "NeedsReconciliation" && seen.status != "Unknown")
    return fmt::format("{}: only NeedsReconciliation and Unknown can be resolved",
                       printable(seen.status));
  const auto settled_at = seen.lease.operation.submit_by + settle_time;
  if (as == Resolution::failed && seen.lease.as_of < settled_at)
    return fmt::format(
        "too early for Failed: until {} a credit may still come (submit_by and the "
        "provider's settle time)",
        rfc3339(settled_at));
  return std::nullopt;
}

std::optional<std::string> against_answer(const Verdict& verdict, Resolution as) {
  if (as == Resolution::succeeded || verdict.decision != Decision::succeeded) return std::nullopt;
  return "the provider holds exactly this credit, so it has not failed; if its answer is wrong, "
         "leave it out with --no-lookup";
}

}  // namespace reconciled
