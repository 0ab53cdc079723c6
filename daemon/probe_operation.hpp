// SPDX-License-Identifier: Apache-2.0
// The operation that --probe-profile asks for: a JSON object whose names are the columns of
// operations, as row_to_json() writes it, from a file or from the database. Pure.
#pragma once

#include <string_view>

#include "base/failures.hpp"
#include "base/time_of_host.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

struct ProbeOperation {
  Operation operation;
  DatabaseTime as_of;  ///< the end of the lookup's window, and what the verdict counts from
};

/// Required: operation_id, account_id, amount, currency. created_at, submit_by (RFC 3339, or as
/// PostgreSQL prints a timestamptz) and as_of may be missing: as_of is `now` then, created_at ten
/// minutes before it, submit_by an hour after created_at. A probe records nothing, so that the
/// host's clock may stand in for the database's. Other names are not read. Failures: 78.
Result<ProbeOperation> read_probe_operation(std::string_view json, HostTime now);

}  // namespace reconciled
