// SPDX-License-Identifier: Apache-2.0
#include "recovery/sql_store.hpp"

#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace statements = sql::statements;

// The columns of the takeover's statements, in their order there.
enum Column : std::size_t {
  kAsOf,
  kOperationId,
  kOwnerVersion,
  kDueSince,
  kAccountId,
  kAmount,
  kCurrency,
  kCreatedAt,
  kSubmitBy,
  kProviderContext,
  kCreditSeen,
  kLooksSinceRecheck
};

DatabaseTime read_time(const sql::Rows& rows, std::size_t row, std::size_t column) {
  return {Duration{rows.integer(row, column)}};
}

OperationId read_operation_id(std::string_view text) {
  const auto uuid = parse_uuid(text);
  if (!uuid) throw std::out_of_range("operation_id is not a uuid");
  return {*uuid};
}

Takeover read_takeover(const sql::Rows& rows, OwnerToken token) {
  Takeover takeover;
  takeover.leases.reserve(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    takeover.as_of = read_time(rows, row, kAsOf);
    if (rows.is_null(row, kOperationId)) continue;
    takeover.leases.push_back(read_lease(rows, row));
    takeover.leases.back().owner_token = token;
  }
  return takeover;
}

std::vector<OperationId> read_ids(const sql::Rows& rows) {
  std::vector<OperationId> ids;
  ids.reserve(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    ids.push_back(read_operation_id(rows.text(row, 0)));
  return ids;
}

/// The fence of a batch as the first three parameters.
class Fence {
 public:
  void add(const Ownership& owned) {
    ids_.add(to_string(owned.operation_id));
    versions_.add(owned.owner_version.value);
    tokens_.add(to_string(owned.owner_token));
  }
  sql::Parameters parameters() && {
    sql::Parameters list;
    list.add(std::move(ids_)).add(std::move(versions_)).add(std::move(tokens_));
    return list;
  }

 private:
  sql::Array ids_, versions_, tokens_;
};

void add_or_null(sql::Array& array, std::string_view text) {
  if (text.empty())
    array.add_null();
  else
    array.add(text);
}

sql::Parameters record_parameters(std::span<const Entry> entries, const std::string& instance) {
  Fence fence;
  sql::Array statuses, waits, bounds, references, findings, reasons, http_statuses, pages,
      durations, details, steps, not_before;
  for (const auto& entry : entries) {
    fence.add(entry.ownership);
    statuses.add(word(entry.verdict.decision));
    waits.add(entry.wait.count());
    const auto& bound = entry.verdict.look_no_later_than;
    if (bound)
      bounds.add(bound->since_epoch.count());
    else
      bounds.add_null();
    add_or_null(references, entry.verdict.reference);
    findings.add(entry.finding);
    reasons.add(word(entry.verdict.reason));
    if (entry.http_status != 0)
      http_statuses.add(std::int64_t{entry.http_status});
    else
      http_statuses.add_null();
    pages.add(std::int64_t{entry.pages});
    durations.add(entry.duration.count());
    add_or_null(details, entry.detail);
    steps.add(entry.step);
    if (entry.not_before)
      not_before.add(entry.not_before->count());
    else
      not_before.add_null();
  }
  auto list = std::move(fence).parameters();
  list.add(std::move(statuses))
      .add(std::move(waits))
      .add(std::move(bounds))
      .add(std::move(references));
  list.add(std::move(findings))
      .add(std::move(reasons))
      .add(std::move(http_statuses))
      .add(std::move(pages));
  list.add(std::move(durations)).add(std::move(details)).add(instance);
  list.add(std::move(steps)).add(std::move(not_before));
  return list;
}

}  // namespace

Lease read_lease(const sql::Rows& rows, std::size_t row) {
  Lease lease;
  auto& operation = lease.operation;
  operation.id = read_operation_id(rows.text(row, kOperationId));
  operation.account_id = rows.text(row, kAccountId);
  operation.amount = Decimal::parse(rows.text(row, kAmount));
  operation.currency = rows.text(row, kCurrency);
  operation.created_at = read_time(rows, row, kCreatedAt);
  operation.submit_by = read_time(rows, row, kSubmitBy);
  operation.provider_context = rows.text(row, kProviderContext);
  lease.owner_version = {rows.integer(row, kOwnerVersion)};
  lease.as_of = read_time(rows, row, kAsOf);
  lease.due_since = read_time(rows, row, kDueSince);
  lease.earlier = {rows.boolean(row, kCreditSeen),
                   static_cast<int>(rows.integer(row, kLooksSinceRecheck))};
  return lease;
}

SqlStore::SqlStore(sql::Database& database, std::string instance)
    : database_(database), instance_(std::move(instance)) {}

Awaitable<sql::Result<Takeover>> SqlStore::take_over(TakeoverRequest request) {
  sql::Parameters list;
  list.add(std::int64_t{request.at_most})
      .add(to_string(request.owner_token))
      .add(request.lease.count());
  if (request.due_before)
    list.add(request.due_before->since_epoch.count());
  else
    list.add_null();
  if (request.not_this)
    list.add(to_string(*request.not_this));
  else
    list.add_null();
  const auto rows = co_await database_.run(statements::take_over, std::move(list));
  if (!rows) co_return rows.error();
  co_return read_takeover(*rows, request.owner_token);
}

Awaitable<sql::Result<Takeover>> SqlStore::read_back_takeover(OwnerToken token) {
  sql::Parameters list;
  list.add(to_string(token));
  const auto rows = co_await database_.run(statements::read_back_takeover, std::move(list));
  if (!rows) co_return rows.error();
  co_return read_takeover(*rows, token);
}

Awaitable<sql::Result<std::vector<OperationId>>> SqlStore::record(std::span<const Entry> entries) {
  const auto rows =
      co_await database_.run(statements::record, record_parameters(entries, instance_));
  if (!rows) co_return rows.error();
  co_return read_ids(*rows);
}

Awaitable<sql::Result<std::vector<OperationId>>> SqlStore::read_back_record(
    std::span<const Entry> entries) {
  Fence fence;
  for (const auto& entry : entries) fence.add(entry.ownership);
  const auto rows =
      co_await database_.run(statements::read_back_record, std::move(fence).parameters());
  if (!rows) co_return rows.error();
  co_return read_ids(*rows);
}

Awaitable<sql::Result<std::optional<Duration>>> SqlStore::next_due(DatabaseTime after) {
  sql::Parameters list;
  list.add(after.since_epoch.count());
  const auto rows = co_await database_.run(statements::next_due, std::move(list));
  if (!rows) co_return rows.error();
  if (rows->size() == 0 || rows->is_null(0, 0)) co_return std::optional<Duration>{};
  co_return std::optional<Duration>{Duration{rows->integer(0, 0)}};
}

Awaitable<sql::Result<std::vector<OperationId>>> SqlStore::hand_back(
    std::span<const Ownership> owned) {
  Fence fence;
  for (const auto& one : owned) fence.add(one);
  auto list = std::move(fence).parameters();
  list.add(instance_);
  const auto rows = co_await database_.run(statements::hand_back, std::move(list));
  if (!rows) co_return rows.error();
  co_return read_ids(*rows);
}

Awaitable<sql::Result<bool>> SqlStore::postpone(Ownership owned, Duration wait) {
  sql::Parameters list;
  list.add(to_string(owned.operation_id))
      .add(owned.owner_version.value)
      .add(to_string(owned.owner_token))
      .add(wait.count());
  const auto rows = co_await database_.run(statements::postpone, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->size() == 1;
}

Awaitable<sql::Result<std::int64_t>> SqlStore::count_due(DatabaseTime due_before) {
  sql::Parameters list;
  list.add(due_before.since_epoch.count());
  const auto rows = co_await database_.run(statements::count_due, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->integer(0, 0);
}

}  // namespace reconciled
