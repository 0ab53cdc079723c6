// SPDX-License-Identifier: Apache-2.0
// What must hold of every verdict, over seeded random cases (design G4, G5).
#include <algorithm>
#include <random>
#include <set>

#include "reconcile/judge.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

constexpr int kCases = 20'000;

struct Random {
  std::mt19937_64 engine;
  int upto(int most) { return std::uniform_int_distribution<int>{0, most}(engine); }
  bool one_in(int n) { return upto(n - 1) == 0; }
};

Credit any_credit(Random& random) {
  Credit credit;
  credit.reference = "cr_" + std::to_string(random.upto(2));
  if (!random.one_in(5)) credit.account = random.one_in(6) ? "A-2" : "A-1";
  credit.amount = *Decimal::parse(random.one_in(6) ? "250.01" : "250.00");
  if (!random.one_in(5)) credit.currency = random.one_in(6) ? "EUR" : "usd";
  credit.state = static_cast<CreditState>(random.upto(4));
  return credit;
}

std::vector<Credit> any_credits(Random& random, int least) {
  std::vector<Credit> credits;
  const int count = least + random.upto(2);
  for (int i = 0; i < count; ++i) credits.push_back(any_credit(random));
  return credits;
}

Finding any_finding(Random& random) {
  switch (random.upto(9)) {
    case 0:
      return Absent{};
    case 1:
      return Incomplete{any_credits(random, 0), "page 2"};
    case 2:
      return Throttled{};
    case 3:
      return Refused{403};
    case 4:
      return Unreachable{};
    case 5:
      return NoAnswer{};
    case 6:
      return Unintelligible{};
    case 7:
      return MissingContext{"charge"};
    default:
      return Found{any_credits(random, 1)};
  }
}

struct Case {
  Operation operation;
  Finding finding;
  Guarantees promised;
  EarlierLooks earlier;
  Patience patience;
  ProviderCondition provider = ProviderCondition::normal;
  DatabaseTime as_of;

  DatabaseTime settled_at() const { return operation.submit_by + promised.settle_time(); }
  Verdict judged() const {
    return judge(operation, finding, promised, earlier, patience, provider, as_of);
  }
};

Case any_case(Random& random) {
  Case it;
  it.operation.account_id = "A-1";
  it.operation.amount = Decimal::parse("250");
  it.operation.currency = "USD";
  it.operation.submit_by = DatabaseTime{1'764'540'000s};
  it.finding = any_finding(random);
  it.promised.visibility_lag = Duration{random.upto(3)};
  it.promised.processing_time = Duration{random.upto(3)};
  it.earlier = {.credit_seen = random.one_in(4), .since_recheck = random.upto(4)};
  it.patience = {Duration{random.upto(4)}};
  it.provider = static_cast<ProviderCondition>(random.upto(2));
  it.as_of = it.operation.submit_by + Duration{random.upto(14) - 2};  // around every boundary
  return it;
}

bool fits(const Credit& credit) {
  return credit.amount == *Decimal::parse("250") && credit.account.value_or("A-1") == "A-1" &&
         credit.currency.value_or("usd") == "usd";
}

/// Said without the code under test: every row that is not failed is the same, settled and ours.
bool proof(const Finding& finding) {
  const auto* found = std::get_if<Found>(&finding);
  if (found == nullptr) return false;
  std::set<std::string> settled;
  std::set<std::string> failed;
  for (const auto& credit : found->credits) {
    if (credit.state == CreditState::failed) {
      failed.insert(credit.reference);
    } else if (credit.state == CreditState::settled && fits(credit)) {
      settled.insert(credit.reference);
    } else {
      return false;
    }
  }
  return settled.size() == 1 && !failed.contains(*settled.begin());
}

/// A row about money in the answer, as opposed to an absence.
bool shows_credit(const Finding& finding) {
  if (const auto* found = std::get_if<Found>(&finding)) return !found->credits.empty();
  if (const auto* part = std::get_if<Incomplete>(&finding)) return !part->credits.empty();
  return false;
}

}  // namespace

TEST_CASE("whatever comes back, only proof succeeds and no early absence is final", "[judge]") {
  const auto seed = GENERATE(1U, 20261130U, std::random_device{}());
  CAPTURE(seed);
  Random random{std::mt19937_64{seed}};
  int succeeded = 0;
  for (int i = 0; i < kCases; ++i) {
    CAPTURE(i);
    const auto it = any_case(random);
    const auto verdict = it.judged();
    REQUIRE((verdict.decision == Decision::succeeded) == proof(it.finding));
    succeeded += verdict.decision == Decision::succeeded ? 1 : 0;
    if (std::holds_alternative<Absent>(it.finding) && it.as_of < it.settled_at() &&
        !it.earlier.credit_seen) {
      REQUIRE(verdict.decision == Decision::unknown);
      REQUIRE(verdict.look_no_later_than == it.settled_at() + 1s);
    }
    if (!shows_credit(it.finding) && it.as_of < it.settled_at() && !it.earlier.credit_seen) {
      REQUIRE(verdict.decision == Decision::unknown);
    }
    if (std::holds_alternative<Unreachable>(it.finding)) {
      REQUIRE(verdict.decision == Decision::unknown);
    }
  }
  REQUIRE(succeeded > kCases / 100);  // the cases reach what they are about
}

TEST_CASE("the order in which credits are listed changes nothing but the reference", "[judge]") {
  const auto seed = GENERATE(7U, std::random_device{}());
  CAPTURE(seed);
  Random random{std::mt19937_64{seed}};
  for (int i = 0; i < kCases; ++i) {
    CAPTURE(i);
    auto it = any_case(random);
    auto credits = any_credits(random, 2);
    it.finding = Found{credits};
    const auto one = it.judged();
    std::ranges::shuffle(credits, random.engine);
    it.finding = Found{credits};
    const auto other = it.judged();
    REQUIRE(one.decision == other.decision);
    REQUIRE(one.reason == other.reason);
  }
}
