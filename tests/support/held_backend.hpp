// SPDX-License-Identifier: Apache-2.0
// A statement that has reached the server and waits there while a test does something else. What it
// waits for is shown, not assumed.
//
//   Session holder(database, kSuperuser, "");
//   holder.execute(kHoldBeforeTheKey);
//   HeldBackend held(database, admit_token(1), kSuperuser, "reconciled_admission");
//   CHECK(held.waits_for() == "operations RowExclusiveLock");
//   …                            // a sweep runs past the deadline
//   holder.execute("COMMIT");
//   CHECK(held.end() == "RC001");
#pragma once

#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "tests/support/session.hpp"

namespace reconciled::test {

/// Holds whoever claims a grant and records its operation in one statement, before the claim has
/// reached the unique key of grant_consumptions: the operation's table is locked before the
/// statement begins to run. A sweep of grant_consumptions passes.
inline constexpr const char* kHoldBeforeTheKey = "BEGIN; LOCK TABLE operations IN SHARE MODE";
/// Holds what after_the_gate makes.
inline constexpr const char* kCloseTheGate = "BEGIN; SELECT pg_advisory_xact_lock(1)";
/// One message to the server. It is received, and statement_timestamp() taken, when it is sent; the
/// transaction of `sql` begins when the gate opens.
std::string after_the_gate(const std::string& sql);

class HeldBackend {
 public:
  /// Sends the statement on a connection and a thread of its own, in autocommit. Does SET ROLE
  /// before unless the role is "".
  HeldBackend(const Database& database, std::string sql, std::string_view user = kSuperuser,
              std::string_view role = "");
  /// Terminates the backend if it is still held.
  ~HeldBackend();
  HeldBackend(const HeldBackend&) = delete;
  HeldBackend& operator=(const HeldBackend&) = delete;

  int pid() const { return pid_; }
  /// Waits until the backend waits for a lock, and says which as pg_locks has it: "operations
  /// RowExclusiveLock", "transactionid ShareLock", "advisory ExclusiveLock". "ended" if the
  /// statement has come to its end instead.
  std::string waits_for() const;
  /// Whether the backend has got a transaction id, without which nothing is written.
  bool has_written() const;
  /// Waits for the statement's end: its first row as answer_of has it, or its SQLSTATE.
  std::string end();

 private:
  const Database& database_;
  Session session_;
  int pid_;
  std::future<std::string> ended_;
};

}  // namespace reconciled::test
