// SPDX-License-Identifier: Apache-2.0
// What a sweep looks at before it deletes, and what of it refuses (design section 7). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.hpp"
#include "retention/clocks.hpp"
#include "retention/refusal.hpp"

namespace reconciled {

enum class Firing { missing, other_columns, disabled, not_always, always };

struct TriggerFact {
  std::string table, trigger;  ///< as SQL wants them
  Firing firing = Firing::missing;
  std::string arguments;  ///< what it must be called with, as SQL wants it; empty: nothing to name
};

struct FunctionFact {
  std::string function;  ///< qualified
  bool found = false;
  std::string sha256;           ///< of prosrc
  std::string expected_sha256;  ///< of this version's
  std::string owner;
  bool security_definer = false;
  bool own_search_path = false;  ///< proconfig is what install.sql sets, and nothing else
};

/// What the mark stands on. Asked only where consumption rows are to go.
struct MarkFacts {
  bool found = false;
  bool may_raise = false;
  std::optional<DatabaseTime> cut_off;  ///< nullopt: nothing was ever cleaned up
  std::vector<TriggerFact> triggers;
  std::vector<FunctionFact> functions;
};

struct ServerFacts {
  DatabaseTime now;
  bool in_recovery = false;
  std::string system_identifier;
  std::string database;  ///< name and oid
  std::string schema;
};

/// The server and database that the process saw first.
struct Identity {
  std::string system_identifier, database;
};

std::vector<Refusal> judge_mark(const MarkFacts& facts, const std::string& schema);
std::vector<Refusal> judge_server(const ServerFacts& facts, const std::optional<Identity>& first);
/// `last` is the newest reading that was in step, nullopt at the first look.
std::vector<Refusal> judge_clocks(const std::optional<ClockReading>& last, const ClockReading& now,
                                  Duration largest_clock_step);

}  // namespace reconciled
