// SPDX-License-Identifier: Apache-2.0
// Whether the server itself ends admissions in time: transaction_timeout of every role that may
// admit (design section 7, retention.require_bound). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "retention/refusal.hpp"

namespace reconciled {

/// A login role that may admit or insert consumption rows, and its transaction_timeout as somebody
/// wrote it at each place where PostgreSQL looks for one.
struct AdmittingRole {
  std::string name;
  std::optional<std::string> in_database;  ///< ALTER ROLE name IN DATABASE this SET
  std::optional<std::string> of_role;      ///< ALTER ROLE name SET
  std::optional<std::string> of_database;  ///< ALTER DATABASE this SET
  std::optional<std::string> of_all;       ///< ALTER ROLE ALL SET
};

struct BoundFacts {
  int server_version = 0;             ///< server_version_num
  std::optional<std::string> server;  ///< the server's own value; nullopt: not visible
  std::vector<AdmittingRole> roles;
  std::vector<std::string> superusers;  ///< named, and not counted
  std::string synchronous_standby_names;
};

/// The settings that the bound is held against (design section 8).
struct BoundTimings {
  Duration cleanup_margin{};
  Duration replication_wait_bound{};
  Duration largest_clock_step{};
};

/// A time setting as PostgreSQL reads it, in milliseconds where no unit is written; rounded up.
/// nullopt for what cannot be read.
std::optional<Duration> parse_server_time(std::string_view text);

/// What a new session of the role gets; nullopt: no end, or nothing that can be read. The most
/// specific place wins, also with a 0 that switches the setting off.
std::optional<Duration> transaction_timeout_of(const AdmittingRole& role,
                                               const std::optional<std::string>& server);

/// Why admissions are not bounded well enough; empty if they are.
std::vector<Refusal> judge_bound(const BoundFacts& facts, const BoundTimings& timings);

/// One line each: every role with its bound, and the superusers.
std::vector<std::string> describe(const BoundFacts& facts);

}  // namespace reconciled
