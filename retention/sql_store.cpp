// SPDX-License-Identifier: Apache-2.0
#include "retention/sql_store.hpp"

#include "sql/function_identities.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace statements = sql::statements;

std::string text(const sql::Rows& rows, std::size_t row, std::size_t column) {
  return std::string(rows.text(row, column));
}

std::optional<std::string> text_or_null(const sql::Rows& rows, std::size_t row,
                                        std::size_t column) {
  if (rows.is_null(row, column)) return std::nullopt;
  return text(rows, row, column);
}

Firing read_firing(std::string_view word) {
  if (word == "always") return Firing::always;
  if (word == "not always") return Firing::not_always;
  if (word == "other columns") return Firing::other_columns;
  return word == "disabled" ? Firing::disabled : Firing::missing;
}

void read_mark(MarkFacts& facts, const sql::Rows& rows) {
  facts.found = rows.size() == 1;
  if (!facts.found) return;
  if (!rows.is_null(0, 0)) facts.cut_off = DatabaseTime{Duration{rows.integer(0, 0)}};
  facts.may_raise = rows.boolean(0, 1);
}

void read_functions(MarkFacts& facts, const sql::Rows& rows) {
  for (std::size_t row = 0; row < rows.size(); ++row)
    facts.functions.push_back({.function = text(rows, row, 0),
                               .found = rows.boolean(row, 1),
                               .sha256 = text(rows, row, 2),
                               .expected_sha256 = sql::kMarkFunctions[row].sha256,
                               .owner = text(rows, row, 3),
                               .security_definer = rows.boolean(row, 4),
                               .own_search_path = rows.boolean(row, 5)});
}

}  // namespace

Awaitable<sql::Result<ServerFacts>> SqlCleanupStore::server() {
  const auto rows = co_await database_.run(statements::cleanup_server, {});
  if (!rows) co_return rows.error();
  co_return ServerFacts{.now = {Duration{rows->integer(0, 0)}},
                        .in_recovery = rows->boolean(0, 1),
                        .system_identifier = text(*rows, 0, 2),
                        .database = text(*rows, 0, 3),
                        .schema = text(*rows, 0, 4)};
}

Awaitable<sql::Result<MarkFacts>> SqlCleanupStore::mark() {
  MarkFacts facts;
  const auto mark = co_await database_.run(statements::cleanup_mark, {});
  if (!mark) co_return mark.error();
  read_mark(facts, *mark);

  const auto triggers = co_await database_.run(statements::cleanup_triggers, {});
  if (!triggers) co_return triggers.error();
  for (std::size_t row = 0; row < triggers->size(); ++row)
    facts.triggers.push_back({text(*triggers, row, 0), text(*triggers, row, 1),
                              read_firing(triggers->text(row, 2)),
                              text_or_null(*triggers, row, 3).value_or("")});

  sql::Array names;
  for (const auto& function : sql::kMarkFunctions) names.add(std::string_view(function.name));
  sql::Parameters list;
  list.add(std::move(names));
  const auto functions = co_await database_.run(statements::cleanup_functions, std::move(list));
  if (!functions) co_return functions.error();
  read_functions(facts, *functions);
  co_return facts;
}

Awaitable<sql::Result<BoundFacts>> SqlCleanupStore::bound() {
  BoundFacts facts;
  const auto server = co_await database_.run(statements::admission_bound_server, {});
  if (!server) co_return server.error();
  facts.server_version = static_cast<int>(server->integer(0, 0));
  facts.server = text_or_null(*server, 0, 1);
  facts.synchronous_standby_names = text(*server, 0, 2);

  const auto roles = co_await database_.run(statements::admission_bound_roles, {});
  if (!roles) co_return roles.error();
  for (std::size_t row = 0; row < roles->size(); ++row) {
    auto name = text(*roles, row, 0);
    if (roles->boolean(row, 1))
      facts.superusers.push_back(std::move(name));
    else
      facts.roles.push_back({std::move(name), text_or_null(*roles, row, 2),
                             text_or_null(*roles, row, 3), text_or_null(*roles, row, 4),
                             text_or_null(*roles, row, 5)});
  }
  co_return facts;
}

Awaitable<sql::Result<std::optional<DatabaseTime>>> SqlCleanupStore::raise_mark(
    DatabaseTime cut_off) {
  sql::Parameters list;
  list.add(cut_off.since_epoch.count());
  const auto rows = co_await database_.run(statements::raise_mark, std::move(list));
  if (!rows) co_return rows.error();
  if (rows->size() != 1) co_return std::optional<DatabaseTime>{};
  co_return std::optional<DatabaseTime>{DatabaseTime{Duration{rows->integer(0, 0)}}};
}

Awaitable<sql::Result<std::int64_t>> SqlCleanupStore::delete_consumptions(DatabaseTime cut_off,
                                                                          int at_most) {
  sql::Parameters list;
  list.add(cut_off.since_epoch.count()).add(std::int64_t{at_most});
  const auto rows = co_await database_.run(statements::delete_consumptions, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->integer(0, 0);
}

Awaitable<sql::Result<IdempotencyBatch>> SqlCleanupStore::delete_idempotency_records(int at_most) {
  sql::Parameters list;
  list.add(std::int64_t{at_most});
  const auto rows = co_await database_.run(statements::delete_idempotency_records, std::move(list));
  if (!rows) co_return rows.error();
  IdempotencyBatch batch;
  for (std::size_t row = 0; row < rows->size(); ++row) {
    batch.deleted = rows->integer(row, 0);
    if (rows->is_null(row, 1)) continue;
    batch.lost.push_back({text(*rows, row, 1), text(*rows, row, 2), text(*rows, row, 3)});
  }
  co_return batch;
}

Awaitable<sql::Result<std::vector<DayCount>>> SqlCleanupStore::consumptions_by_day(
    DatabaseTime cut_off) {
  sql::Parameters list;
  list.add(cut_off.since_epoch.count());
  const auto rows = co_await database_.run(statements::preview_consumptions, std::move(list));
  if (!rows) co_return rows.error();
  std::vector<DayCount> days;
  for (std::size_t row = 0; row < rows->size(); ++row)
    days.push_back({text(*rows, row, 0), rows->integer(row, 1), 0});
  co_return days;
}

Awaitable<sql::Result<std::vector<DayCount>>> SqlCleanupStore::idempotency_records_by_day() {
  const auto rows = co_await database_.run(statements::preview_idempotency_records, {});
  if (!rows) co_return rows.error();
  std::vector<DayCount> days;
  for (std::size_t row = 0; row < rows->size(); ++row)
    days.push_back({text(*rows, row, 0), rows->integer(row, 1), rows->integer(row, 2)});
  co_return days;
}

}  // namespace reconciled
