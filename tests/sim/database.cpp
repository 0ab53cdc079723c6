// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/database.hpp"

#include <algorithm>

namespace reconciled::sim {
namespace {

Status status_of(Decision decision) {
  switch (decision) {
    case Decision::succeeded:
      return Status::succeeded;
    case Decision::unknown:
      return Status::unknown;
    case Decision::needs_reconciliation:
      break;
  }
  return Status::needs_reconciliation;
}

bool is_verdict(const std::string& decision) {
  return decision == "Succeeded" || decision == "Unknown" || decision == "NeedsReconciliation";
}

}  // namespace

std::string_view word(Status status) noexcept {
  constexpr std::string_view kWords[] = {"Admitted", "Unknown", "Succeeded", "Failed",
                                         "NeedsReconciliation"};
  return kWords[static_cast<std::size_t>(status)];
}

EarlierLooks Database::earlier(const Row& row) const {
  EarlierLooks looks;
  if (row.owner_version.value <= 2) return looks;
  for (const auto& one : evidence) {
    if (one.operation_id != row.operation.id) continue;
    if (one.step == "recheck") looks.since_recheck = 0;
    if (one.step != "lookup") continue;
    ++looks.since_recheck;
    if (one.finding == "found" || (one.finding == "incomplete" && !one.provider_reference.empty()))
      looks.credit_seen = true;
  }
  return looks;
}

Lease Database::lease_of(const Row& row, DatabaseTime as_of, DatabaseTime due_since) const {
  Lease lease;
  lease.operation = row.operation;
  lease.owner_version = row.owner_version;
  lease.owner_token = *row.owner_token;
  lease.as_of = as_of;
  lease.due_since = due_since;
  lease.earlier = earlier(row);
  return lease;
}

Takeover Database::take_over(const TakeoverRequest& request) {
  const auto as_of = now();
  const auto limit = request.due_before ? std::min(as_of, *request.due_before) : as_of;
  std::vector<Row*> due;
  for (auto& [id, row] : rows) {
    const bool ended = row.lease_until < limit || bug_ == Bug::takeover_of_running_leases;
    if (unresolved(row.status) && ended && id != request.not_this) due.push_back(&row);
  }
  std::ranges::sort(due, {}, [](const Row* row) { return row->lease_until; });
  if (std::ssize(due) > request.at_most) due.resize(static_cast<std::size_t>(request.at_most));
  Takeover takeover{as_of, {}};
  for (auto* const row : due) {
    const auto due_since = row->lease_until;
    ++row->owner_version.value;
    row->owner_token = request.owner_token;
    row->lease_until = as_of + request.lease;
    row->taken_at = SteadyClock::now();
    takeover.leases.push_back(lease_of(*row, as_of, due_since));
  }
  return takeover;
}

Takeover Database::read_back_takeover(OwnerToken token) const {
  const auto as_of = now();
  Takeover takeover{as_of, {}};
  for (const auto& [id, row] : rows)
    if (row.owner_token == token && unresolved(row.status) && row.lease_until > as_of)
      takeover.leases.push_back(lease_of(row, as_of, row.operation.created_at));
  std::ranges::sort(takeover.leases, {}, &Lease::due_since);
  return takeover;
}

Row* Database::owned_row(const Ownership& owned) {
  const auto found = rows.find(owned.operation_id);
  if (found == rows.end()) return nullptr;
  auto& row = found->second;
  if (bug_ == Bug::record_without_fence) return &row;
  const bool ours = row.owner_version == owned.owner_version &&
                    row.owner_token == owned.owner_token && unresolved(row.status);
  return ours ? &row : nullptr;
}

std::vector<OperationId> Database::record(std::span<const Entry> entries) {
  std::vector<OperationId> recorded;
  for (const auto& entry : entries) {
    auto* const row = owned_row(entry.ownership);
    if (row == nullptr) continue;
    const auto& verdict = entry.verdict;
    row->status = status_of(verdict.decision);
    row->owner_token.reset();
    if (row->status == Status::unknown && bug_ != Bug::unknown_keeps_its_lease) {
      row->lease_until = now() + entry.wait;
      if (verdict.look_no_later_than)
        row->lease_until = std::min(row->lease_until, *verdict.look_no_later_than);
    }
    if (row->status == Status::unknown && bug_ == Bug::unknown_keeps_its_lease)
      row->lease_until = {Duration::max()};
    if (!verdict.reference.empty()) row->provider_reference = verdict.reference;
    evidence.push_back(
        {entry.ownership.operation_id, entry.ownership.owner_version, entry.ownership.owner_token,
         std::string(entry.step), std::string(entry.finding), std::string(word(verdict.decision)),
         std::string(word(verdict.reason)), verdict.reference, row->taken_at, SteadyClock::now()});
    recorded.push_back(entry.ownership.operation_id);
  }
  return recorded;
}

std::vector<OperationId> Database::read_back_record(std::span<const Entry> entries) const {
  std::vector<OperationId> written;
  for (const auto& entry : entries) {
    const auto& owned = entry.ownership;
    const bool known = std::ranges::any_of(evidence, [&](const Evidence& one) {
      return one.operation_id == owned.operation_id && one.owner_version == owned.owner_version &&
             one.owner_token == owned.owner_token && is_verdict(one.decision);
    });
    if (known) written.push_back(owned.operation_id);
  }
  return written;
}

std::optional<Duration> Database::next_due(DatabaseTime after) const {
  std::optional<DatabaseTime> earliest;
  for (const auto& [id, row] : rows)
    if (unresolved(row.status) && row.lease_until > after &&
        row.lease_until.since_epoch != Duration::max() &&
        (!earliest || row.lease_until < *earliest))
      earliest = row.lease_until;
  if (!earliest) return std::nullopt;
  return *earliest - now();
}

std::vector<OperationId> Database::hand_back(std::span<const Ownership> owned) {
  std::vector<OperationId> given;
  for (const auto& one : owned) {
    auto* const row = owned_row(one);
    if (row == nullptr) continue;
    row->owner_token.reset();
    row->lease_until = now();
    evidence.push_back({one.operation_id, one.owner_version, one.owner_token, "handback", "",
                        "handed-back", "shutdown", "", row->taken_at, SteadyClock::now()});
    given.push_back(one.operation_id);
  }
  return given;
}

bool Database::postpone(const Ownership& owned, Duration wait) {
  auto* const row = owned_row(owned);
  if (row == nullptr) return false;
  row->lease_until = now() + wait;
  return true;
}

std::int64_t Database::count_due(DatabaseTime due_before) const {
  return std::ranges::count_if(rows, [&](const auto& one) {
    return unresolved(one.second.status) && one.second.lease_until < due_before;
  });
}

bool Database::record_outcome(OperationId id, OwnerVersion version, Status outcome,
                              const std::string& reference) {
  const auto found = rows.find(id);
  if (found == rows.end()) return false;
  auto& row = found->second;
  if (row.owner_version != version || row.owner_token || row.status != Status::admitted)
    return false;
  row.status = outcome;
  if (!reference.empty()) row.provider_reference = reference;
  if (outcome == Status::unknown) row.lease_until = std::min(row.lease_until, now());
  evidence.push_back({id,
                      version,
                      {},
                      "executor",
                      "",
                      std::string(word(outcome)),
                      "reported-by-executor",
                      reference,
                      row.taken_at,
                      SteadyClock::now()});
  return true;
}

bool Database::may_submit(OperationId id, OwnerVersion version) const {
  const auto found = rows.find(id);
  if (found == rows.end()) return false;
  const auto& row = found->second;
  return row.owner_version == version && !row.owner_token && row.status == Status::admitted &&
         now() < row.lease_until && now() < row.operation.submit_by;
}

/// The statement's deadline was checked when it began; the mark is read when the row is in.
bool Database::claim(const Row& row, DatabaseTime asked_at, DatabaseTime retain_until) {
  if (asked_at >= retain_until || consumptions.contains(row.grant)) return false;
  if (bug_ != Bug::claim_below_the_mark && mark && retain_until < *mark) return false;
  consumptions.emplace(row.grant, retain_until);
  rows.emplace(row.operation.id, row);
  return true;
}

DatabaseTime Database::raise_mark(DatabaseTime cut_off) {
  mark = mark ? std::max(*mark, cut_off) : cut_off;
  return *mark;
}

std::int64_t Database::delete_consumptions(DatabaseTime cut_off, int at_most) {
  if (!mark) return 0;
  const auto until = std::min(cut_off, *mark);
  std::int64_t deleted = 0;
  for (auto one = consumptions.begin(); one != consumptions.end() && deleted < at_most;) {
    const bool due = one->second < until;
    one = due ? consumptions.erase(one) : std::next(one);
    deleted += due ? 1 : 0;
  }
  return deleted;
}

}  // namespace reconciled::sim
