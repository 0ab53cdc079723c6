// SPDX-License-Identifier: Apache-2.0
// A statement's answer as text, copied out of the driver, so that no other room sees libpqxx.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reconciled::sql {

class Rows {
 public:
  explicit Rows(std::size_t columns = 0) : columns_(columns) {}

  /// Cells are added row by row, left to right.
  void add(std::optional<std::string_view> cell) {
    cells_.push_back({bytes_.size(), cell ? cell->size() : 0, !cell});
    if (cell) bytes_.append(*cell);
  }

  std::size_t size() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  bool is_null(std::size_t row, std::size_t column) const { return at(row, column).null; }

  /// Empty for null. Valid as long as this object.
  std::string_view text(std::size_t row, std::size_t column) const {
    const auto& cell = at(row, column);
    return std::string_view(bytes_).substr(cell.offset, cell.length);
  }

  /// A bigint or int column. Throws std::out_of_range for null or another text: a statement of ours
  /// that returns something else is a defect.
  std::int64_t integer(std::size_t row, std::size_t column) const;
  bool boolean(std::size_t row, std::size_t column) const { return text(row, column) == "t"; }

 private:
  struct Cell {
    std::size_t offset;
    std::size_t length;
    bool null;
  };
  const Cell& at(std::size_t row, std::size_t column) const {
    return cells_.at(row * columns_ + column);
  }

  std::size_t columns_;
  std::string bytes_;
  std::vector<Cell> cells_;
};

}  // namespace reconciled::sql
