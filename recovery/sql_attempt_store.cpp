// SPDX-License-Identifier: Apache-2.0
#include "recovery/sql_attempt_store.hpp"

#include <algorithm>

#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace statements = sql::statements;

constexpr std::string_view kPlaceholder = "eligibility_function(";

std::string quoted(std::string_view part) {
  std::string text = "\"";
  for (const char c : part) text.append(c == '"' ? 2U : 1U, c);
  return text + '"';
}

std::string permit_text(std::string_view eligibility_function) {
  std::string text = statements::permit_create.text;
  const auto at = text.find(kPlaceholder);
  return text.replace(at, kPlaceholder.size(), quoted_function(eligibility_function) + "(");
}

sql::Parameters fence(const Ownership& owned) {
  sql::Parameters list;
  list.add(to_string(owned.operation_id))
      .add(owned.owner_version.value)
      .add(to_string(owned.owner_token));
  return list;
}

Permit read_permit(const sql::Rows& rows) {
  Permit permit;
  if (rows.size() != 1) {
    permit.hindrance = "ownership-lost";
    return permit;
  }
  permit.hindrance = rows.text(0, 0);
  permit.decision = rows.text(0, 1);
  permit.may_send = rows.boolean(0, 2);
  permit.send_within = Duration{rows.integer(0, 3)};
  return permit;
}

}  // namespace

std::string quoted_function(std::string_view name) {
  const auto dot = name.find('.');
  if (dot == std::string_view::npos) return quoted(name);
  return quoted(name.substr(0, dot)) + "." + quoted(name.substr(dot + 1));
}

SqlAttemptStore::SqlAttemptStore(sql::Database& database, std::string instance,
                                 std::string_view eligibility_function)
    : database_(database),
      instance_(std::move(instance)),
      // Prepared statements go by their name, and a reload may name another function.
      name_(std::make_shared<std::string>("permit_create " + std::string(eligibility_function))),
      text_(std::make_shared<std::string>(permit_text(eligibility_function))) {}

Awaitable<sql::Result<Permit>> SqlAttemptStore::permit(PermitRequest request) {
  const auto name = name_;
  const auto text = text_;
  auto list = fence(request.owned);
  list.add(instance_)
      .add(request.as_of.since_epoch.count())
      .add(request.settle_time.count())
      .add(request.lease_needed.count());
  if (request.key_life)
    list.add(request.key_life->count());
  else
    list.add_null();
  list.add(std::move(request.lookup));
  const sql::Statement statement{name->c_str(), text->c_str(), true};
  const auto rows = co_await database_.run(statement, std::move(list));
  if (!rows) co_return rows.error();
  co_return read_permit(*rows);
}

Awaitable<sql::Result<bool>> SqlAttemptStore::defer(Ownership owned, std::string sqlstate) {
  auto list = fence(owned);
  list.add(instance_).add(std::move(sqlstate));
  const auto rows = co_await database_.run(statements::defer_create, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->size() == 1;
}

Awaitable<sql::Result<bool>> SqlAttemptStore::may_send_again(Ownership owned) {
  auto list = fence(owned);
  const auto rows = co_await database_.run(statements::may_send_again, std::move(list));
  if (!rows) co_return rows.error();
  co_return rows->size() == 1 && rows->boolean(0, 0);
}

}  // namespace reconciled
