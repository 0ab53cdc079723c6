// SPDX-License-Identifier: Apache-2.0
// A dry run's table: what a person needs, in 80 columns, with totals.
#include "daemon/preview.hpp"

#include <sstream>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

Preview preview(const std::string& status) {
  Preview one;
  one.lease.operation.id = {*parse_uuid("6fa459ea-ee8a-4ca4-894e-db77e160355e")};
  one.lease.operation.created_at = {0s};
  one.lease.as_of = {90min};
  one.status = status;
  return one;
}

Preview asked(Finding finding, Verdict verdict) {
  auto one = preview("Unknown");
  one.look = Look{.finding = std::move(finding)};
  one.verdict = std::move(verdict);
  return one;
}

}  // namespace

TEST_CASE("a dry run's line says what it is, what came back, what would be recorded and why",
          "[preview]") {
  CHECK(preview_heading() ==
        "OPERATION                            AGE STATUS   FINDING\n  WOULD RECORD: WHY\n");
  CHECK(preview_line(asked(NoAnswer{"no bytes"}, {Decision::unknown, Reason::no_answer})) ==
        "6fa459ea-ee8a-4ca4-894e-db77e160355e 90m Unknown  no-answer\n"
        "  Unknown (no-answer): no bytes\n");
  CHECK(preview_line(preview("Admitted")) ==
        "6fa459ea-ee8a-4ca4-894e-db77e160355e 90m Admitted not asked\n");
}

TEST_CASE("no line of a dry run's table is longer than 80 columns", "[preview]") {
  const std::string why = "a page that is not there, and much more that one would like to know of";
  std::istringstream lines(
      preview_line(
          asked(Unintelligible{why}, {Decision::needs_reconciliation, Reason::unintelligible})) +
      preview_line(asked(MissingContext{"wallet"},
                         {Decision::needs_reconciliation, Reason::missing_context})));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("the totals count every decision and what was not asked", "[preview]") {
  PreviewTotals totals;
  CHECK(totals.text() == "nothing is due\n");
  totals.add(preview("Admitted"));
  totals.add(asked(Absent{}, {Decision::unknown, Reason::absent_so_far}));
  totals.add(asked(Absent{}, {Decision::unknown, Reason::absent_so_far}));
  CHECK(totals.text() ==
        "3 due: 2 Unknown, 1 not asked; this was a dry run, nothing was written\n");
}
