// SPDX-License-Identifier: Apache-2.0
// What can go wrong for the process as a whole: each failure says what happened and what to do, and
// carries the exit code that systemd and scripts rely on (design §10, after sysexits.h).
#pragma once

#include <boost/system/result.hpp>
#include <string>

namespace reconciled {

enum class ExitCode : int {
  done = 0,
  undecided = 1,  ///< `check` found something, `--once` left operations undecided, a race was lost
  usage = 64,     ///< the command line
  schema = 65,    ///< the contract in the database is missing, older or newer than this binary
  unavailable = 69,   ///< database or provider not reachable; systemd restarts
  defect = 70,        ///< a defect of reconciled itself
  try_later = 75,     ///< reachable, but read-only
  permission = 77,    ///< a grant or a file permission is missing
  configuration = 78  ///< the configuration; restarting does not help
};

/// `what` names the thing and the place, `remedy` is the next step for a person; neither holds a
/// secret.
struct Failure {
  ExitCode code = ExitCode::defect;
  std::string what;
  std::string remedy = {};
};

/// One line for a log or stderr: "what (remedy)".
std::string to_string(const Failure& failure);

/// A value or a Failure. value() on a failure is a defect of the caller and throws
/// std::logic_error.
template <class T>
using Result = boost::system::result<T, Failure>;

[[noreturn]] void throw_exception_from_error(const Failure& failure,
                                             const boost::source_location& where);

}  // namespace reconciled
