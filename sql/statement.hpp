// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace reconciled::sql {

/// One file of sql/statements/: its name, which is also the prepared statement's name, and its
/// text.
struct Statement {
  const char* name = nullptr;
  const char* text = nullptr;
  /// In a REPEATABLE READ transaction of its own; else in autocommit.
  bool one_snapshot = false;
};

}  // namespace reconciled::sql
