// SPDX-License-Identifier: Apache-2.0
// Why nothing is deleted: a closed set, each with the thing it is about and what to do (design
// section 7). Pure.
#pragma once

#include <string>
#include <variant>

#include "base/time.hpp"

namespace reconciled {

// What the mark stands on is not as installed. Names are qualified and quoted as SQL wants them.
struct TriggerMissing {
  std::string table, trigger;
};
/// It compares another column of the service's own table than the one the sweep goes by.
struct TriggerOnOtherColumns {
  std::string table, trigger, schema;
  std::string arguments;  ///< the right ones; empty: the view has an expression there
};
struct TriggerDisabled {
  std::string table, trigger;
};
/// It fires, but not for what a replication role inserts.
struct TriggerNotAlways {
  std::string table, trigger;
};
struct FunctionMissing {
  std::string function;
};
struct FunctionChanged {
  std::string function, what;  ///< "its text", "its owner (alice)", …
};
struct MarkMissing {
  std::string schema;
};
struct MarkNotWritable {
  std::string schema, why;
};

// The server is not the one to delete on.
struct InRecovery {};
struct OtherServer {
  std::string was, is;  ///< system identifiers
};
struct OtherDatabase {
  std::string was, is;
};

// The clock cannot be believed. Positive: the database is ahead, or jumped ahead.
struct HostClockApart {
  Duration difference{}, at_most{};
};
struct ClockStepped {
  Duration difference{}, at_most{};
};

// retention.require_bound.
struct NoTransactionTimeout {
  int server_version = 0;  ///< server_version_num
};
struct RoleUnbounded {
  std::string role;
};
struct RoleBoundTooLong {
  std::string role;
  Duration bound{}, needed{}, margin{};
};
struct StandbyWaitUnbounded {
  std::string standby_names;
};

/// The database did not let the sweep look or delete.
struct DatabaseTrouble {
  std::string doing;  ///< "reading the mark", …
  std::string sqlstate, error;
};

using Refusal =
    std::variant<TriggerMissing, TriggerOnOtherColumns, TriggerDisabled, TriggerNotAlways,
                 FunctionMissing, FunctionChanged, MarkMissing, MarkNotWritable, InRecovery,
                 OtherServer, OtherDatabase, HostClockApart, ClockStepped, NoTransactionTimeout,
                 RoleUnbounded, RoleBoundTooLong, StandbyWaitUnbounded, DatabaseTrouble>;

/// "what is wrong (what to do)", one line.
std::string explain(const Refusal& refusal);

/// The same for the same reason about the same thing, whatever the numbers: one that was told
/// already is not told again.
std::string key_of(const Refusal& refusal);

}  // namespace reconciled
