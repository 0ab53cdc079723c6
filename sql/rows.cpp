// SPDX-License-Identifier: Apache-2.0
#include "sql/rows.hpp"

#include <charconv>
#include <stdexcept>

namespace reconciled::sql {

std::int64_t Rows::integer(std::size_t row, std::size_t column) const {
  const auto digits = text(row, column);
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size())
    throw std::out_of_range("column " + std::to_string(column) + " is not an integer");
  return value;
}

}  // namespace reconciled::sql
