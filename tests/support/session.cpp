// SPDX-License-Identifier: Apache-2.0
#include "tests/support/session.hpp"

#include <cstdio>

namespace reconciled::test {
namespace {

std::string insert_into(const char* table, const Columns& defaults, const Columns& columns) {
  auto all = columns;
  all.insert(defaults.begin(), defaults.end());
  std::string names;
  std::string values;
  for (const auto& [name, value] : all) {
    names += (names.empty() ? "" : ", ") + name;
    values += (values.empty() ? "" : ", ") + value;
  }
  return std::string("INSERT INTO ") + table + " (" + names + ") VALUES (" + values + ");";
}

}  // namespace

Session::Session(const Database& database, std::string_view user, std::string_view role)
    : connection_(database.connect(user)) {
  if (!role.empty()) execute("SET ROLE " + std::string(role));
}

pqxx::result Session::execute(const std::string& sql) {
  return pqxx::nontransaction(*connection_).exec(sql);
}

std::string Session::call(const sql::Statement& statement, const Arguments& arguments) {
  if (prepared_.insert(statement.name).second) {
    execute(std::string("PREPARE ") + statement.name + " AS\n" + statement.text);
  }
  std::string list;
  for (const auto& argument : arguments) {
    list += list.empty() ? "(" : ", ";
    list += argument ? connection_->quote(*argument) : "NULL";
  }
  return std::string("EXECUTE ") + statement.name + (list.empty() ? "" : list + ")");
}

pqxx::result Session::run(const sql::Statement& statement, const Arguments& arguments) {
  return execute(call(statement, arguments));
}

std::string Session::explain(const sql::Statement& statement, const Arguments& arguments) {
  std::string text;
  for (const auto& row : execute("EXPLAIN " + call(statement, arguments))) {
    text += row[0].c_str();
    text += '\n';
  }
  return text;
}

std::string Session::failure_of(const sql::Statement& statement, const Arguments& arguments) {
  try {
    run(statement, arguments);
    return {};
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  }
}

std::string operation_id(int n) {
  char text[37];
  std::snprintf(text, sizeof text, "00000000-0000-4000-8000-%012d", n);
  return text;
}

std::string insert_operation(int n, const Columns& columns) {
  const Columns defaults{{"operation_id", "'" + operation_id(n) + "'"},
                         {"issuer", "'issuer-1'"},
                         {"grant_id", "'grant-" + std::to_string(n) + "'"},
                         {"caller_id", "'caller-1'"},
                         {"account_id", "'A-1'"},
                         {"amount", "250.00"},
                         {"currency", "'USD'"},
                         {"status", "'Admitted'"},
                         {"lease_until", "now() - interval '1 minute'"},
                         {"submit_by", "now() + interval '1 hour'"},
                         {"created_at", "now() - interval '2 minutes'"}};
  return insert_into("operations", defaults, columns);
}

std::string insert_evidence(int n, const Columns& columns) {
  const Columns defaults{{"operation_id", "'" + operation_id(n) + "'"},
                         {"owner_version", "2"},
                         {"instance", "'test'"},
                         {"step", "'lookup'"},
                         {"finding", "'absent'"},
                         {"decision", "'Unknown'"},
                         {"reason", "'absent-so-far'"}};
  return insert_into("recovery_evidence", defaults, columns);
}

std::string array_of(const Arguments& elements) {
  std::string text;
  for (const auto& element : elements) {
    text += text.empty() ? "{" : ",";
    text += element ? *element : "NULL";
  }
  return text.empty() ? "{}" : text + "}";
}

}  // namespace reconciled::test
