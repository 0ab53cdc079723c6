// SPDX-License-Identifier: Apache-2.0
// The one door to Catch2: version 2 on Debian 12, version 3 on Debian 13.
#pragma once

#include <string>

#if RECONCILED_CATCH2_VERSION == 3
#include <catch2/catch_all.hpp>

inline auto contains_text(const std::string& part) {
  return Catch::Matchers::ContainsSubstring(part);
}
#else
#include <catch2/catch.hpp>

inline auto contains_text(const std::string& part) { return Catch::Contains(part); }
#endif
