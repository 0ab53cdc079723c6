// SPDX-License-Identifier: Apache-2.0
#include "base/failures.hpp"

#include <stdexcept>

namespace reconciled {

std::string to_string(const Failure& failure) {
  return failure.remedy.empty() ? failure.what : failure.what + " (" + failure.remedy + ")";
}

void throw_exception_from_error(const Failure& failure, const boost::source_location& where) {
  throw std::logic_error(where.to_string() + ": unchecked failure: " + failure.what);
}

}  // namespace reconciled
