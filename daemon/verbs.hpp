// SPDX-License-Identifier: Apache-2.0
// A person's verbs as the command line gives them (design §10).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace reconciled {

enum class OutputFormat { table, json };

/// All that the status column may hold (design §3).
inline constexpr const char* kStatuses[] = {"Admitted", "Unknown", "Succeeded", "Failed",
                                            "NeedsReconciliation"};

/// Of list. Empty texts are filters that are not wanted.
struct ListInvocation {
  std::vector<std::string> statuses;  ///< never empty
  std::string reason;
  std::string account_id;
  std::optional<Duration> older_than;
  std::optional<std::int64_t> limit;  ///< at least 1
};

struct RecheckInvocation {
  std::vector<OperationId> operations;  ///< never empty
  std::string reason;                   ///< may be empty
  bool dry_run = false;
};

/// An operation, and the version under which the person saw it.
struct SeenAt {
  OperationId operation;
  OwnerVersion version;
};

enum class Resolution { succeeded, failed };
/// The status column's word.
constexpr const char* word(Resolution resolution) noexcept {
  return resolution == Resolution::succeeded ? "Succeeded" : "Failed";
}

struct ResolveInvocation {
  std::vector<SeenAt> operations;  ///< never empty
  Resolution as = Resolution::succeeded;
  std::string reason;     ///< never blank
  std::string reference;  ///< empty: the one that the provider shows, if it proves the credit
  bool ask = true;        ///< the provider first
  bool dry_run = false;
};

}  // namespace reconciled
