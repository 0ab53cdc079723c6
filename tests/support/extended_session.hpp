// SPDX-License-Identifier: Apache-2.0
// A service's connection as most drivers have it: the extended protocol, in autocommit. libpqxx
// sends what it can by the simple one.
#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <string_view>

#include "tests/support/session.hpp"

namespace reconciled::test {

class ExtendedSession {
 public:
  /// search_path on the contract's schema; does SET ROLE unless the role is "". Throws
  /// std::runtime_error if there is no connection.
  ExtendedSession(const Database& database, std::string_view role);

  /// Parse, Bind, Execute and Sync in one message; $1, $2, … are the arguments, as text. Returns
  /// the first row's fields joined by blanks, "-" for null; "no row" without one. Throws
  /// pqxx::sql_error with the SQLSTATE.
  std::string plain(const std::string& sql, const Arguments& arguments = {});
  /// The same by a statement that is prepared under a name of its own, once for each text.
  std::string prepared(const std::string& sql, const Arguments& arguments = {});

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  std::string answer_of(PGresult* owned, const std::string& sql);

  std::unique_ptr<PGconn, Finish> connection_;
  std::map<std::string, std::string> prepared_;  // statement name by text
};

}  // namespace reconciled::test
