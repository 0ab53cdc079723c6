// SPDX-License-Identifier: Apache-2.0
#include "tests/support/service_calls.hpp"

#include "tests/support/extended_session.hpp"

namespace reconciled::test {
namespace {

Columns merged(Columns changed, const Columns& defaults) {
  changed.insert(defaults.begin(), defaults.end());
  return changed;
}

Columns key(int n) {
  return {{"user_id", "'user-1'"},
          {"endpoint", "'POST /credits'"},
          {"idempotency_key", quoted(operation_id(n))}};
}

Columns admission(int n) {
  return {{"issuer", "'issuer-1'"},    {"grant_id", quoted("grant-" + std::to_string(n))},
          {"caller_id", "'caller-1'"}, {"operation_id", quoted(operation_id(n))},
          {"account_id", "'A-1'"},     {"amount", "250.00"},
          {"currency", "'USD'"}};
}

}  // namespace

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string call(std::string_view function, const Columns& arguments) {
  std::string list;
  for (const auto& [name, value] : arguments) {
    if (value.empty()) continue;
    list.append(list.empty() ? "" : ", ").append(name).append(" => ").append(value);
  }
  return "SELECT * FROM " + std::string(function) + "(" + list + ")";
}

std::string admit_token(int n, const Columns& changed) {
  auto arguments = merged(changed, admission(n));
  return call("admit_token_grant",
              merged(std::move(arguments), {{"expires_at", "now() + interval '10 minutes'"}}));
}

std::string admit_row(int n, const Columns& changed) {
  return call("admit_row_grant", merged(changed, admission(n)));
}

std::string insert_grant(int n, const Columns& changed) {
  const auto row = merged(changed, {{"issuer", "'issuer-1'"},
                                    {"grant_id", quoted("grant-" + std::to_string(n))},
                                    {"expires_at", "now() + interval '10 minutes'"}});
  std::string names;
  std::string values;
  for (const auto& [name, value] : row) {
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + value;
  }
  return "INSERT INTO grants (" + names + ") VALUES (" + values + ");";
}

std::string may_submit(int n, const Columns& changed) {
  return call("may_submit",
              merged(changed, {{"operation_id", quoted(operation_id(n))}, {"owner_version", "1"}}));
}

std::string record_outcome(int n, const std::string& outcome, const Columns& changed) {
  return call("record_outcome", merged(changed, {{"operation_id", quoted(operation_id(n))},
                                                 {"owner_version", "1"},
                                                 {"outcome", quoted(outcome)}}));
}

std::string claim_key(int n, const Columns& changed) {
  return call("claim_idempotency_key",
              merged(merged(changed, key(n)), {{"request_hash", "'\\x01'"}}));
}

std::string hold_key(std::string_view function, int n, const Columns& arguments) {
  return call(function, merged(arguments, key(n)));
}

std::string answer_of(const pqxx::result& rows) {
  if (rows.empty()) return "no row";
  std::string text;
  for (const auto& field : rows[0]) {
    text += (text.empty() ? "" : " ") + std::string(field.is_null() ? "-" : field.c_str());
  }
  return text;
}

std::string answer_of(const Database& database, const std::string& sql, std::string_view role) {
  return ExtendedSession(database, role).plain(sql);
}

std::string failure_as(const Database& database, const std::string& sql, std::string_view role) {
  try {
    answer_of(database, sql, role);
    return {};
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  }
}

}  // namespace reconciled::test
