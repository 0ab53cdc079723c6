// SPDX-License-Identifier: Apache-2.0
#include "reconcile/http.hpp"

namespace reconciled {

std::string_view HttpAnswer::header(std::string_view name) const noexcept {
  for (const auto& [header_name, value] : headers)
    if (header_name == name) return value;
  return {};
}

}  // namespace reconciled
