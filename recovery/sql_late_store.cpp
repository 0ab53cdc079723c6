// SPDX-License-Identifier: Apache-2.0
#include "recovery/sql_late_store.hpp"

#include "recovery/sql_store.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

// Of late_due.sql: the operation's first, and those after the takeover's own.
enum Column : std::size_t { kOperationId = 1, kEvidenceId = 12, kWait };

void add_or_null(sql::Parameters& list, const std::string& text) {
  if (text.empty())
    list.add_null();
  else
    list.add(text);
}

}  // namespace

Awaitable<sql::Result<LateTurn>> SqlLateStore::take_turn(LateTurnRequest request) {
  sql::Parameters list;
  list.add(to_string(request.holder))
      .add(request.turn.count())
      .add(request.every.count())
      .add(request.keep_on.count())
      .add(request.at_most);
  const auto rows = co_await database_.run(sql::statements::late_due, std::move(list));
  if (!rows) co_return rows.error();
  LateTurn turn;
  for (std::size_t row = 0; row < rows->size(); ++row) {
    if (!rows->is_null(row, kWait)) turn.wait = Duration{rows->integer(row, kWait)};
    if (rows->is_null(row, kOperationId)) continue;
    auto lease = read_lease(*rows, row);
    turn.cases.push_back({std::move(lease.operation), lease.owner_version,
                          rows->integer(row, kEvidenceId), lease.as_of});
  }
  co_return turn;
}

Awaitable<sql::Result<bool>> SqlLateStore::record(LateEntry entry) {
  sql::Parameters list;
  list.add(to_string(entry.holder))
      .add(entry.turn.count())
      .add(to_string(entry.seen.operation.id))
      .add(entry.seen.owner_version.value)
      .add(entry.seen.newest_evidence)
      .add(instance_)
      .add(std::string(entry.finding))
      .add(std::string(entry.word.credit ? "credit" : "none"))
      .add(std::string(word(entry.word.verdict.reason)));
  add_or_null(list, entry.word.verdict.reference);
  if (entry.http_status != 0)
    list.add(std::int64_t{entry.http_status});
  else
    list.add_null();
  list.add(std::int64_t{entry.pages}).add(entry.duration.count());
  add_or_null(list, entry.detail);
  const auto rows = co_await database_.run(sql::statements::late_record, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->size() == 1;
}

}  // namespace reconciled
