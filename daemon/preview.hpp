// SPDX-License-Identifier: Apache-2.0
// How a dry run shows one operation, and all of them together. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "reconcile/finding.hpp"
#include "reconcile/verdict.hpp"
#include "recovery/lease.hpp"

namespace reconciled {

/// One operation that is due, with what asking brought, if it was asked.
struct Preview {
  Lease lease;
  std::string status;
  std::optional<Look> look;
  std::optional<Verdict> verdict;
};

std::string preview_heading();
/// Two lines, one if it was not asked: what it is and what came back; what would be recorded and
/// why. Within 80 columns, but for a word that is longer.
std::string preview_line(const Preview& preview);
/// One JSON object and a line end. Names are the column names of operations and recovery_evidence;
/// times are RFC 3339 in UTC.
std::string preview_json(const Preview& preview);

class PreviewTotals {
 public:
  void add(const Preview& preview);
  /// "3 due: 1 Succeeded, 2 Unknown; this was a dry run, nothing was written".
  std::string text() const;

 private:
  int due_ = 0;
  int not_asked_ = 0;
  std::map<Decision, int> decided_;
};

}  // namespace reconciled
