// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/verify.hpp"

#include <algorithm>

namespace reconciled::sim {
namespace {

/// One that will fail is pending until then.
bool live(const HeldCredit& held, SteadyTime at) {
  return held.credit.state != CreditState::failed || at < held.final_from;
}

class Judge {
 public:
  Judge(const World& world, const Row& row, std::vector<std::string>& wrong)
      : world_(world), row_(row), wrong_(wrong), held_(world.ledger.held(row.operation.id)) {}

  /// Returns status and reason of the end.
  std::string check(bool clock_stepped) {
    if (unresolved(row_.status)) {
      say("is still " + std::string(word(row_.status)));
      return "unresolved";
    }
    const Evidence* end = nullptr;
    for (const auto& one : world_.database.evidence) {
      if (one.operation_id != row_.operation.id) continue;
      if (end != nullptr) say("was written after " + end->decision + ": " + one.step);
      const bool handed = one.step == "handback";
      if (!handed && one.decision != "Unknown") end = &one;
    }
    if (end == nullptr || end->decision != word(row_.status)) {
      say(std::string(word(row_.status)) + " has no evidence of its own");
      return "no evidence";
    }
    if (end->step == "lookup") check_lookup(*end, clock_stepped);
    return end->decision + " " + end->reason;
  }

 private:
  void say(const std::string& what) {
    wrong_.push_back("operation " + to_string(row_.operation.id).substr(32) + " " + what);
  }

  void check_lookup(const Evidence& end, bool clock_stepped) {
    const auto live = [&](const HeldCredit& one) { return sim::live(one, end.at); };
    if (end.decision == "Succeeded") check_proof(end);
    if (end.reason == "absent-after-window" && !clock_stepped && std::ranges::any_of(held_, live))
      say("was given up as absent, and the provider, which kept its promise, has it");
    // As the look may have seen them, which was some time after the takeover.
    const auto seen_live = [&](const HeldCredit& one) { return sim::live(one, end.taken_at); };
    if (end.reason == "duplicate" && std::ranges::count_if(held_, seen_live) < 2)
      say("was called a duplicate, and is none");
    if (end.reason == "mismatch" &&
        std::ranges::all_of(held_, [&](const auto& one) { return fits(one); }))
      say("was called a mismatch, and is none");
  }

  bool fits(const HeldCredit& held) const { return held.credit.amount == *row_.operation.amount; }

  void check_proof(const Evidence& end) {
    const auto live = [&](const HeldCredit& one) { return sim::live(one, end.at); };
    const bool proven = std::ranges::any_of(held_, [&](const HeldCredit& one) {
      return one.credit.reference == end.provider_reference && live(one) && fits(one) &&
             one.final_from <= end.at;
    });
    if (!proven) say("Succeeded without a credit that proves it");
    const auto seen = std::ranges::count_if(held_, [&](const HeldCredit& one) {
      return live(one) && one.visible_from <= end.taken_at;
    });
    if (seen > 1) say("Succeeded although a second credit showed");
  }

  const World& world_;
  const Row& row_;
  std::vector<std::string>& wrong_;
  const std::vector<HeldCredit>& held_;
};

}  // namespace

Outcome verify(const World& world, bool clock_stepped) {
  Outcome outcome{world.wrong, {}};
  for (const auto& [id, row] : world.database.rows)
    ++outcome.reasons[Judge{world, row, outcome.wrong}.check(clock_stepped)];
  return outcome;
}

}  // namespace reconciled::sim
