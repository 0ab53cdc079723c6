// SPDX-License-Identifier: Apache-2.0
#include "tests/support/held_backend.hpp"

#include <chrono>
#include <utility>

#include "tests/support/service_calls.hpp"

namespace reconciled::test {
namespace {

using namespace std::chrono_literals;

std::string outcome_of(Session& session, const std::string& sql) {
  try {
    return answer_of(session.execute(sql));
  } catch (const pqxx::sql_error& error) {
    return sqlstate_of(error);
  } catch (const pqxx::broken_connection&) {
    return "lost";
  }
}

}  // namespace

std::string after_the_gate(const std::string& sql) {
  return std::string(kCloseTheGate) + "; COMMIT; " + sql;
}

HeldBackend::HeldBackend(const Database& database, std::string sql, std::string_view user,
                         std::string_view role)
    : database_(database),
      session_(database, user, role),
      pid_(std::stoi(answer_of(session_.execute("SELECT pg_backend_pid()")))),
      ended_(std::async(std::launch::async, [this, statement = std::move(sql)] {
        return outcome_of(session_, statement);
      })) {}

HeldBackend::~HeldBackend() {
  try {
    if (ended_.valid() && ended_.wait_for(0s) != std::future_status::ready) {
      database_.execute("SELECT pg_terminate_backend(" + std::to_string(pid_) + ")");
    }
  } catch (const std::exception&) {
    // Without a server nothing is held.
  }
}

std::string HeldBackend::waits_for() const {
  const auto waits =
      "SELECT concat_ws(' ', coalesce(relation::regclass::text, locktype), mode) FROM pg_locks "
      "WHERE NOT granted AND pid = " +
      std::to_string(pid_);
  do {
    const auto rows = database_.query(waits);
    if (!rows.empty()) return rows[0][0].c_str();
  } while (ended_.wait_for(10ms) != std::future_status::ready);
  return "ended";
}

bool HeldBackend::has_written() const {
  return database_.query_value("SELECT backend_xid IS NOT NULL FROM pg_stat_activity WHERE pid = " +
                               std::to_string(pid_)) == "t";
}

std::string HeldBackend::end() { return ended_.get(); }

}  // namespace reconciled::test
