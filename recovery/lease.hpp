// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "reconcile/judge.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

/// What every write of a pass names in its own WHERE (design G1).
struct Ownership {
  OperationId operation_id;
  OwnerVersion owner_version;
  OwnerToken owner_token;
};

/// One operation that this daemon owns for a while.
struct Lease {
  Operation operation;
  OwnerVersion owner_version;
  OwnerToken owner_token;
  DatabaseTime as_of;      ///< the takeover's time: not later than the moment the lookup is sent
  DatabaseTime due_since;  ///< when the lease before this one had run out
  EarlierLooks earlier;
  SteadyTime taken_at;    ///< from before the takeover was sent
  SteadyTime work_until;  ///< local deadline of the lookup: lease_margin before the lease's end,
                          ///< counted from before the takeover was sent

  Ownership ownership() const { return {operation.id, owner_version, owner_token}; }
};

}  // namespace reconciled
