// SPDX-License-Identifier: Apache-2.0
// How a database call can fail, told apart by what the caller must do next and by SQLSTATE, never
// by message text.
#pragma once

#include <boost/system/result.hpp>
#include <string>

#include "base/failures.hpp"

namespace reconciled::sql {

enum class Trouble {
  not_connected,  ///< nothing was sent: no connection, or none free before the deadline
  in_doubt,       ///< sent, and the answer never came: it may have been committed. Read back, never
                  ///< resend blind
  refused         ///< the server answered with an error; the statement has changed nothing
};

struct Error {
  Trouble trouble = Trouble::not_connected;
  std::string sqlstate = {};  ///< five characters, empty if the server named none
  std::string message = {};   ///< for a person; holds no password
};

template <class T>
using Result = boost::system::result<T, Error>;

[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& where);

/// One row's fault inside a batch (design §3): classes 22 and 23, 42501, 55P03, 40P01, P0001.
bool is_fault_of_a_row(const Error& error) noexcept;
/// 25006: a standby, or default_transaction_read_only.
bool is_read_only(const Error& error) noexcept;

/// What the process exits with if it cannot go on after this error: 65 for a missing table, column
/// or function (class 42 but 42501), 75 for read-only, 77 for class 28 and 42501, 78 for an unknown
/// database or schema (3D000, 3F000), else 69.
ExitCode exit_code(const Error& error) noexcept;

/// "message [SQLSTATE]".
std::string to_string(const Error& error);

}  // namespace reconciled::sql
