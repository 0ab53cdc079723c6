// SPDX-License-Identifier: Apache-2.0
#include "reconcile/finding.hpp"

#include "base/overloaded.hpp"

namespace reconciled {

// By index, since a visit may throw in theory and this must not.
std::string_view word(const Finding& finding) noexcept {
  static constexpr std::string_view kWords[] = {"found",     "absent",         "incomplete",
                                                "throttled", "refused",        "unreachable",
                                                "no-answer", "unintelligible", "missing-context"};
  static_assert(std::size(kWords) == std::variant_size_v<Finding>);
  return finding.valueless_by_exception() ? "" : kWords[finding.index()];
}

std::string explanation(const Finding& finding) {
  return std::visit(
      overloaded{
          [](const Found&) { return std::string{}; }, [](const Absent&) { return std::string{}; },
          [](const Incomplete& it) { return it.why; },
          [](const Throttled&) { return std::string{}; },
          [](const Refused& it) { return "status " + std::to_string(it.status); },
          [](const Unreachable& it) { return it.why; }, [](const NoAnswer& it) { return it.why; },
          [](const Unintelligible& it) { return it.why; },
          [](const MissingContext& it) { return it.name; }},
      finding);
}

}  // namespace reconciled
