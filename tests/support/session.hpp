// SPDX-License-Identifier: Apache-2.0
// Statements and rows for tests that talk to a scratch database directly.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sql/statement.hpp"
#include "tests/support/cluster.hpp"

namespace reconciled::test {

/// nullopt is SQL's null. Text is quoted and cast by the statement itself.
using Arguments = std::vector<std::optional<std::string>>;

/// One connection that acts as a duty role, and runs the files of sql/statements/ with arguments.
class Session {
 public:
  /// Does SET ROLE unless the role is "".
  explicit Session(const Database& database, std::string_view user = kRecovery,
                   std::string_view role = "reconciled_recovery");

  pqxx::result execute(const std::string& sql);
  /// Prepared at the first use, by SQL's PREPARE, so that plan_cache_mode counts.
  pqxx::result run(const sql::Statement& statement, const Arguments& arguments = {});
  /// The plan, a line a line, without running it.
  std::string explain(const sql::Statement& statement, const Arguments& arguments);
  /// The SQLSTATE that run fails with, "" if it does not fail.
  std::string failure_of(const sql::Statement& statement, const Arguments& arguments);

 private:
  std::string call(const sql::Statement& statement, const Arguments& arguments);

  std::unique_ptr<pqxx::connection> connection_;
  std::set<std::string> prepared_;
};

/// The n-th test operation's id; n from 1.
std::string operation_id(int n);
/// Of operations, and what to write instead of the default: an SQL expression by column name.
using Columns = std::map<std::string, std::string>;
/// The statement that inserts the n-th operation: Admitted at version 1, 250.00 USD for A-1, its
/// lease a minute past, submit_by in an hour.
std::string insert_operation(int n, const Columns& columns = {});
/// The statement that inserts one row of evidence for it: step lookup, finding absent, Unknown.
std::string insert_evidence(int n, const Columns& columns = {});
/// '{a,b}' for an array argument; nullopt becomes NULL. For words without quotes and commas.
std::string array_of(const Arguments& elements);

}  // namespace reconciled::test
