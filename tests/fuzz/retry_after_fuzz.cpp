// SPDX-License-Identifier: Apache-2.0
// Retry-After and the Date beside it, one a line: never a negative wait, nor one of decades.
#include "reconcile/retry_after.hpp"

#include <algorithm>
#include <string>

#include "tests/fuzz/require.hpp"

using namespace reconciled;
using fuzz::require;

namespace {

void check_number(std::string_view value, const std::optional<Duration>& asked) {
  const bool number =
      !value.empty() && value.size() <= 9 &&
      std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!number) return;
  require(asked == Duration{std::chrono::seconds{std::stol(std::string(value))}},
          "whole seconds are read as they stand");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = fuzz::text_of(data, size);
  const auto value = fuzz::take_line(rest);
  const auto date = fuzz::take_line(rest);
  const auto asked = parse_retry_after(value, date);
  check_number(value, asked);
  if (asked) {
    require(*asked >= 0s && *asked <= 24h * 36525, "a wait is between nothing and a hundred years");
    require(parse_retry_after(" " + std::string(value) + "\t", date) == asked,
            "blanks around a value change nothing");
  }
  for (const Duration at_most : {0s, 1s, 60s, 86400s}) {
    const auto waited = clamp_retry_after(asked, at_most);
    require(waited >= 1s && waited <= std::max<Duration>(1s, at_most),
            "what is waited is within its bounds");
  }
  return 0;
}
