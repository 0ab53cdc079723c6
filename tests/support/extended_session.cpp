// SPDX-License-Identifier: Apache-2.0
#include "tests/support/extended_session.hpp"

#include <stdexcept>

namespace reconciled::test {
namespace {

/// As libpq wants arguments: null for SQL's null.
std::vector<const char*> pointers_to(const Arguments& arguments) {
  std::vector<const char*> pointers;
  for (const auto& argument : arguments) {
    pointers.push_back(argument ? argument->c_str() : nullptr);
  }
  return pointers;
}

}  // namespace

ExtendedSession::ExtendedSession(const Database& database, std::string_view role)
    : connection_(PQconnectdb(database.uri().c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) {
    throw std::runtime_error(PQerrorMessage(connection_.get()));
  }
  plain("SET search_path = reconciled, pg_temp");
  if (!role.empty()) plain("SET ROLE " + std::string(role));
}

std::string ExtendedSession::plain(const std::string& sql, const Arguments& arguments) {
  const auto values = pointers_to(arguments);
  return answer_of(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                                nullptr, values.data(), nullptr, nullptr, 0),
                   sql);
}

std::string ExtendedSession::prepared(const std::string& sql, const Arguments& arguments) {
  const auto found = prepared_.emplace(sql, "statement_" + std::to_string(prepared_.size()));
  const auto& name = found.first->second;
  if (found.second) {
    answer_of(PQprepare(connection_.get(), name.c_str(), sql.c_str(), 0, nullptr), sql);
  }
  const auto values = pointers_to(arguments);
  return answer_of(PQexecPrepared(connection_.get(), name.c_str(), static_cast<int>(values.size()),
                                  values.data(), nullptr, nullptr, 0),
                   sql);
}

std::string ExtendedSession::answer_of(PGresult* owned, const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(owned, PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const auto* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
    throw pqxx::sql_error(PQresultErrorMessage(result.get()), sql, state ? state : "");
  }
  if (PQntuples(result.get()) == 0) return "no row";
  std::string text;
  for (int field = 0; field < PQnfields(result.get()); ++field) {
    const bool is_null = PQgetisnull(result.get(), 0, field) != 0;
    text.append(text.empty() ? "" : " ").append(is_null ? "-" : PQgetvalue(result.get(), 0, field));
  }
  return text;
}

}  // namespace reconciled::test
