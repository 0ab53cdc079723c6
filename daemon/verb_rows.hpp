// SPDX-License-Identifier: Apache-2.0
// What `list`, `show` and `check` print of rows of the contract: the fields of their JSON objects,
// which are the column names, and the words for people. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "sql/rows.hpp"

namespace reconciled {

/// How a column becomes JSON: a string, a number, seconds (from microseconds), a time (RFC 3339;
/// "before all time" or "after all time" where it is none), or JSON as it is.
enum class ColumnKind { text, number, seconds, time, json };

struct Column {
  const char* name;
  ColumnKind kind;
};

/// The columns of list_operations.sql, in its order.
std::span<const Column> list_columns();
/// Of show_operation.sql.
std::span<const Column> operation_columns();
/// Of show_evidence.sql, as JSON shows them; and with what follows there, for people, out of
/// detail.
std::span<const Column> evidence_columns();
std::span<const Column> time_line_columns();
/// Of check_unresolved.sql and check_statuses.sql, but for their last one, the count of all.
std::span<const Column> check_columns();

/// One JSON object and a line end; null where the row has null.
std::string row_json(const sql::Rows& rows, std::size_t row, std::span<const Column> columns);

/// One row by column name. A name that is not there is a defect (std::out_of_range).
class NamedRow {
 public:
  NamedRow(const sql::Rows& rows, std::size_t row, std::span<const Column> columns)
      : rows_(rows), row_(row), columns_(columns) {}

  std::string_view text(std::string_view name) const { return rows_.text(row_, index(name)); }
  bool is_null(std::string_view name) const { return rows_.is_null(row_, index(name)); }
  /// nullopt for null, infinity, and years beyond 1 to 9999.
  std::optional<DatabaseTime> time(std::string_view name) const;
  std::optional<Duration> duration(std::string_view name) const;
  /// For a person: to the second; never, before all time, after all time.
  std::string time_text(std::string_view name) const;

 private:
  std::size_t index(std::string_view name) const;

  const sql::Rows& rows_;
  const std::size_t row_;
  const std::span<const Column> columns_;
};

/// At most three characters and the largest unit that fits: 45s, 99m, 47h, 20d.
std::string rough(Duration age);
/// From the time in column `since` to as_of; "?" where that is no time.
std::string age_of(const NamedRow& row, std::string_view since);

}  // namespace reconciled
