// SPDX-License-Identifier: Apache-2.0
#include "sql/error.hpp"

#include <stdexcept>

namespace reconciled::sql {

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  throw std::logic_error(where.to_string() + ": unchecked database error: " + error.message);
}

bool is_fault_of_a_row(const Error& error) noexcept {
  if (error.trouble != Trouble::refused) return false;
  const auto& state = error.sqlstate;
  return state.starts_with("22") || state.starts_with("23") || state == "42501" ||
         state == "55P03" || state == "40P01" || state == "P0001";
}

bool is_read_only(const Error& error) noexcept { return error.sqlstate == "25006"; }

ExitCode exit_code(const Error& error) noexcept {
  const auto& state = error.sqlstate;
  if (state == "25006") return ExitCode::try_later;
  if (state.starts_with("28") || state == "42501") return ExitCode::permission;
  if (state == "3D000" || state == "3F000") return ExitCode::configuration;
  if (state.starts_with("42")) return ExitCode::schema;
  return ExitCode::unavailable;
}

std::string to_string(const Error& error) {
  return error.sqlstate.empty() ? error.message : error.message + " [" + error.sqlstate + "]";
}

}  // namespace reconciled::sql
