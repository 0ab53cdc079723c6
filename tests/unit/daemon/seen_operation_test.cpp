// SPDX-License-Identifier: Apache-2.0
// What stands against a person's verb, row by row.
#include "daemon/seen_operation.hpp"

#include "daemon/fresh_look.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

constexpr DatabaseTime kNow{1796097600s};

SeenOperation seen(const char* status, bool owned = false) {
  SeenOperation operation;
  operation.status = status;
  operation.owned = owned;
  operation.lease.as_of = kNow;
  operation.lease.owner_version = {4};
  operation.lease.due_since = kNow + 10s;
  operation.lease.operation.submit_by = kNow - 1min;
  return operation;
}

std::string refusal(const std::optional<std::string>& why) { return why.value_or("none"); }

FreshLook looked(Finding finding, Verdict verdict = {}) {
  return {{.finding = std::move(finding), .http_status = 200, .pages = 1, .duration = 1500us},
          std::move(verdict)};
}

}  // namespace

TEST_CASE("recheck is for what is left to a person only", "[verbs]") {
  CHECK(refusal(against_recheck(seen("NeedsReconciliation"))) == "none");
  for (const auto* status : {"Admitted", "Unknown", "Succeeded", "Failed", "Pending"})
    CHECK(
        refusal(against_recheck(seen(status))).find("only NeedsReconciliation can be sent back") !=
        std::string::npos);
  for (const auto* status : {"Admitted", "Unknown"})
    CHECK(refusal(against_recheck(seen(status, true))) ==
          "in flight: a daemon owns it until 2026-12-01T04:00:10Z");
}

TEST_CASE("resolve wants the version, an open status, and nobody in flight", "[verbs]") {
  const auto against = [](const SeenOperation& operation, std::int64_t version) {
    return refusal(against_resolve(operation, {version}, Resolution::succeeded, 0s));
  };
  CHECK(against(seen("NeedsReconciliation"), 4) == "none");
  CHECK(against(seen("Unknown"), 4) == "none");
  CHECK(against(seen("Unknown"), 3) == "at version 4 by now, not 3: look at it again");
  CHECK(against(seen("Unknown", true), 4).starts_with("in flight"));
  for (const auto* status : {"Admitted", "Succeeded", "Failed"})
    CHECK(against(seen(status), 4).find("can be resolved") != std::string::npos);
}

TEST_CASE("Failed is too early until the very end of window and settle time", "[verbs]") {
  const auto against = [](Resolution as, Duration settle_time) {
    return refusal(against_resolve(seen("Unknown"), {4}, as, settle_time));
  };
  CHECK(against(Resolution::failed, 1min) == "none");
  CHECK(against(Resolution::failed, 1min + 1us)
            .starts_with("too early for Failed: until 2026-12-01T04:00:00.000001Z"));
  CHECK(against(Resolution::succeeded, 24h) == "none");
}

TEST_CASE("what the provider proves is not called failed", "[verbs]") {
  const Verdict proven{Decision::succeeded, Reason::proven, "cr_1"};
  CHECK(refusal(against_answer(proven, Resolution::failed)).find("--no-lookup") !=
        std::string::npos);
  CHECK(refusal(against_answer(proven, Resolution::succeeded)) == "none");
  CHECK(refusal(against_answer({Decision::needs_reconciliation, Reason::mismatch},
                               Resolution::failed)) == "none");
}

TEST_CASE("only a provider that says something of the operation has answered", "[verbs]") {
  for (const auto& finding :
       {Finding{Throttled{}}, Finding{Refused{401}}, Finding{Unreachable{}}, Finding{NoAnswer{}}})
    CHECK_FALSE(answered(looked(finding)));
  for (const auto& finding : {Finding{Found{}}, Finding{Absent{}}, Finding{Incomplete{}},
                              Finding{Unintelligible{}}, Finding{MissingContext{}}})
    CHECK(answered(looked(finding)));
}

TEST_CASE("the answer is shown credit by credit, with what a pass would record", "[verbs]") {
  const Credit whole{"cr_1", "A-1", *Decimal::parse("250.00"), "USD", CreditState::settled};
  const Credit bare{"", std::nullopt, *Decimal::parse("1"), std::nullopt, CreditState::pending};
  CHECK(describe(looked(Found{{whole, bare}},
                        {Decision::needs_reconciliation, Reason::duplicate, "cr_1"})) ==
        "found: cr_1 of 250 USD to account A-1, settled; one of 1, pending; a pass would record "
        "NeedsReconciliation (duplicate)");
  CHECK(describe(
            looked(Unintelligible{"no \x1b JSON"}, {Decision::unknown, Reason::unintelligible})) ==
        "unintelligible (no \xef\xbf\xbd JSON); a pass would record Unknown (unintelligible)");
}

TEST_CASE("evidence holds both looks", "[verbs]") {
  auto operation = seen("Unknown");
  CHECK(both_looks(operation, std::nullopt) == R"({"asked":false})");
  operation.evidence_id = 7;
  operation.finding = "absent";
  operation.decision = "NeedsReconciliation";
  operation.reason = "absent-after-window";
  CHECK(both_looks(operation, looked(Absent{}, {Decision::unknown, Reason::absent_so_far})) ==
        R"({"would_record":"Unknown","would_record_reason":"absent-so-far","last_look":)"
        R"({"evidence_id":7,"finding":"absent","decision":"NeedsReconciliation",)"
        R"("reason":"absent-after-window"}})");
}
