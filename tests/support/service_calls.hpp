// SPDX-License-Identifier: Apache-2.0
// Calls of the contract's functions as a service makes them, for tests.
#pragma once

#include <chrono>
#include <future>
#include <string>
#include <string_view>

#include "tests/support/session.hpp"

namespace reconciled::test {

/// `SELECT * FROM function(name => expression, …)`. An expression "" leaves its argument out.
std::string call(std::string_view function, const Columns& arguments);
/// The n-th token grant, valid for ten minutes, for the n-th operation: 250.00 USD for A-1 of
/// caller-1, as insert_operation has it. `changed` replaces arguments.
std::string admit_token(int n, const Columns& changed = {});
/// The same of a stored grant, which insert_grant has made.
std::string admit_row(int n, const Columns& changed = {});
/// The n-th stored grant, valid for ten minutes.
std::string insert_grant(int n, const Columns& changed = {});
std::string may_submit(int n, const Columns& changed = {});  ///< at version 1, no token
std::string record_outcome(int n, const std::string& outcome, const Columns& changed = {});
/// The n-th idempotency key of user-1 at POST /credits, its request hash \x01.
std::string claim_key(int n, const Columns& changed = {});
/// One of the functions of a key's holder, with these arguments beside the key's own.
std::string hold_key(std::string_view function, int n, const Columns& arguments);

/// SQL text of a string.
std::string quoted(const std::string& text);

/// The first row's fields joined by blanks, "-" for null; "no row" without one.
std::string answer_of(const pqxx::result& rows);
/// Calls in autocommit through the extended protocol on a connection of its own, with the rights of
/// reconciled_admission.
std::string answer_of(const Database& database, const std::string& sql,
                      std::string_view role = "reconciled_admission");
/// The SQLSTATE of the same, "" if it does not fail.
std::string failure_as(const Database& database, const std::string& sql,
                       std::string_view role = "reconciled_admission");

/// Waits until one connection waits for a lock, or the call has ended without having waited.
template <typename Answer>
void wait_for_lock_or(const Database& database, const std::future<Answer>& call) {
  while (database.query_value("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = "
                              "'Lock' AND datname = current_database()") != "1" &&
         call.wait_for(std::chrono::milliseconds(10)) == std::future_status::timeout) {
  }
}

}  // namespace reconciled::test
