// SPDX-License-Identifier: Apache-2.0
// The words of evidence, metrics and the status column are a contract (design §5).
#include "reconcile/finding.hpp"
#include "reconcile/verdict.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

TEST_CASE("decisions are the status column's words, and Failed is none of them", "[words]") {
  CHECK(word(Decision::succeeded) == "Succeeded");
  CHECK(word(Decision::unknown) == "Unknown");
  CHECK(word(Decision::needs_reconciliation) == "NeedsReconciliation");
}

TEST_CASE("reasons are the words of design §5", "[words]") {
  const std::pair<Reason, std::string_view> words[] = {
      {Reason::proven, "proven"},
      {Reason::duplicate, "duplicate"},
      {Reason::reversed, "reversed"},
      {Reason::mismatch, "mismatch"},
      {Reason::unrecognised_state, "unrecognised-state"},
      {Reason::pending, "pending"},
      {Reason::pending_too_long, "pending-too-long"},
      {Reason::failed_at_provider, "failed-at-provider"},
      {Reason::contradiction, "contradiction"},
      {Reason::absent_so_far, "absent-so-far"},
      {Reason::absent_after_window, "absent-after-window"},
      {Reason::incomplete, "incomplete"},
      {Reason::no_answer, "no-answer"},
      {Reason::unintelligible, "unintelligible"},
      {Reason::missing_context, "missing-context"},
      {Reason::throttled, "throttled"},
      {Reason::refused, "refused"},
      {Reason::unreachable, "unreachable"},
      {Reason::create_refused, "create-refused"},
      {Reason::not_processed, "not-processed"},
      {Reason::foreign_credit, "foreign-credit"}};
  for (const auto& [reason, expected] : words) CHECK(word(reason) == expected);
}

TEST_CASE("findings are the words of design §5, and explain themselves where they can", "[words]") {
  struct Row {
    Finding finding;
    std::string_view word, explanation;
  };
  const Row rows[] = {{Found{}, "found", ""},
                      {Absent{}, "absent", ""},
                      {Incomplete{{}, "page 2"}, "incomplete", "page 2"},
                      {Throttled{}, "throttled", ""},
                      {Refused{403}, "refused", "status 403"},
                      {Unreachable{"refused"}, "unreachable", "refused"},
                      {NoAnswer{"timeout"}, "no-answer", "timeout"},
                      {Unintelligible{"HTML"}, "unintelligible", "HTML"},
                      {MissingContext{"charge"}, "missing-context", "charge"}};
  for (const auto& row : rows) {
    CHECK(word(row.finding) == row.word);
    CHECK(explanation(row.finding) == row.explanation);
  }
}
