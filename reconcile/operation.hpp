// SPDX-License-Identifier: Apache-2.0
// What asking and judging need to know of an operation. Ownership is recovery's business and not in
// here.
#pragma once

#include <optional>
#include <string>

#include "base/decimal.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace reconciled {

struct Operation {
  OperationId id;
  std::string account_id;
  /// nullopt: the column holds something that is no finite decimal (NaN through a view). Such an
  /// amount equals no credit's.
  std::optional<Decimal> amount;
  std::string currency;
  DatabaseTime created_at;
  DatabaseTime submit_by;        ///< until then a create may still be sent by anyone
  std::string provider_context;  ///< JSON text of the column, empty for null: further facts that a
                                 ///< lookup needs
};

}  // namespace reconciled
