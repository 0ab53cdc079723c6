// SPDX-License-Identifier: Apache-2.0
// The proxy's methods as lines of text, for scripts.
#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>

#include "tests/support/proxy.hpp"

namespace reconciled::test {

/// "lose_answer statement=record skip=1", "hold_answer tag=INSERT times=2", "pass". A value may
/// hold blanks if it comes last: "lose_request statement=POST /v1/refunds". The error is a
/// sentence.
boost::system::result<Plan, std::string> read_plan(std::string_view line);

/// Carries out one line and gives the one-line reply: a plan's line; "reset" (every open
/// connection); "counts"; "wait N" (until N requests have met a fault). The reply begins with "ok"
/// or "error: ".
std::string obey(Proxy& proxy, std::string_view line);

}  // namespace reconciled::test
