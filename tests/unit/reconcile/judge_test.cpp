// SPDX-License-Identifier: Apache-2.0
// The table of design §5, row by row, in its order.
#include "reconcile/judge.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

const DatabaseTime kSubmitBy{1'764'540'000s};
constexpr Duration kLag = 10s;
constexpr Duration kProcessing = 50s;
constexpr Duration kPatience = 24h;
const DatabaseTime kSettledAt = kSubmitBy + (kLag + kProcessing);
const DatabaseTime kPatientUntil = kSettledAt + kPatience;
constexpr Duration kTick = 1us;

Operation operation() {
  return {.id = {},
          .account_id = "A-1",
          .amount = Decimal::parse("250.00"),
          .currency = "USD",
          .created_at = kSubmitBy - 1h,
          .submit_by = kSubmitBy,
          .provider_context = ""};
}

Credit credit(CreditState state, std::string reference = "cr_1") {
  return {std::move(reference), "A-1", *Decimal::parse("250"), "USD", state};
}
const Credit kSettled = credit(CreditState::settled);
const Credit kPending = credit(CreditState::pending);
const Credit kFailed = credit(CreditState::failed);
const Credit kReversed = credit(CreditState::reversed);
const Credit kUnlisted = credit(CreditState::unrecognised);

Credit named(Credit it, std::string reference) {
  it.reference = std::move(reference);
  return it;
}

struct Given {
  DatabaseTime as_of = kSubmitBy;
  EarlierLooks earlier = {};
  ProviderCondition provider = ProviderCondition::normal;
  Operation op = operation();
};

Verdict judged(const Finding& finding, const Given& given = {}) {
  Guarantees promised;
  promised.visibility_lag = kLag;
  promised.processing_time = kProcessing;
  return judge(given.op, finding, promised, given.earlier, {kPatience}, given.provider,
               given.as_of);
}

/// The first moment, and the first look, at which a look gives up.
const Given kGivesUp{.as_of = kPatientUntil, .earlier = {.since_recheck = 2}};
/// One of both is missing.
const Given kTooEarly{.as_of = kPatientUntil - kTick, .earlier = {.since_recheck = 1000}};
const Given kTooFewLooks{.as_of = kPatientUntil + 1000h, .earlier = {.since_recheck = 1}};

Given while_provider(ProviderCondition condition, Given given = kGivesUp) {
  given.provider = condition;
  return given;
}

Verdict person(Reason reason, std::string reference = {}) {
  return {Decision::needs_reconciliation, reason, std::move(reference)};
}
Verdict again(Reason reason, std::string reference = {}) {
  return {Decision::unknown, reason, std::move(reference)};
}
const Verdict kProven{Decision::succeeded, Reason::proven, "cr_1"};

}  // namespace

TEST_CASE("row 1: two live credits are a duplicate, whatever their states", "[judge]") {
  for (const auto& first : {kSettled, kPending, kUnlisted}) {
    for (const auto& second : {kSettled, kPending, kUnlisted}) {
      CHECK(judged(Found{{first, named(second, "cr_2")}}) == person(Reason::duplicate, "cr_1"));
    }
  }
}

TEST_CASE("row 1: a duplicate outranks reversed and mismatch", "[judge]") {
  auto other_amount = named(kSettled, "cr_3");
  other_amount.amount = *Decimal::parse("1");
  CHECK(judged(Found{{kReversed, named(kSettled, "cr_2"), other_amount}}) ==
        person(Reason::duplicate, "cr_2"));
}

TEST_CASE("row 1: a duplicate counts in an incomplete answer too", "[judge]") {
  CHECK(judged(Incomplete{{kSettled, named(kPending, "cr_2")}, "page 3: 500"}) ==
        person(Reason::duplicate, "cr_1"));
  CHECK(judged(Incomplete{{kFailed, named(kUnlisted, "cr_2"), named(kSettled, "cr_3")}, ""},
               while_provider(ProviderCondition::down)) == person(Reason::duplicate, "cr_2"));
}

TEST_CASE("row 1: credits with equal reference count once", "[judge]") {
  CHECK(judged(Found{{kSettled, kSettled, kSettled}}) == kProven);
  CHECK(judged(Incomplete{{kSettled, kSettled}, ""}) == again(Reason::incomplete));
}

TEST_CASE("row 1: credits without a reference cannot be told apart, and count each", "[judge]") {
  CHECK(judged(Found{{named(kSettled, ""), named(kSettled, "")}}) == person(Reason::duplicate));
}

TEST_CASE("a credit that moved between two pages is looked at again", "[judge]") {
  CHECK(judged(Found{{kPending, kSettled}}) == again(Reason::pending, "cr_1"));
  CHECK(judged(Found{{kSettled, kPending}}) == again(Reason::pending, "cr_1"));
  CHECK(judged(Found{{kSettled, kFailed}}) == again(Reason::pending, "cr_1"));
  CHECK(judged(Found{{kSettled, kReversed}}) == person(Reason::reversed, "cr_1"));
  CHECK(judged(Found{{kReversed, kPending}}) == person(Reason::reversed, "cr_1"));
  CHECK(judged(Found{{kSettled, kUnlisted}}) == person(Reason::unrecognised_state, "cr_1"));
  CHECK(judged(Found{{kUnlisted, kFailed}}) == person(Reason::unrecognised_state, "cr_1"));
}

TEST_CASE("a credit listed with two amounts is a mismatch in either order", "[judge]") {
  auto other = kSettled;
  other.amount = *Decimal::parse("250.01");
  CHECK(judged(Found{{kSettled, other}}) == person(Reason::mismatch, "cr_1"));
  CHECK(judged(Found{{other, kSettled}}) == person(Reason::mismatch, "cr_1"));
}

TEST_CASE("row 2: any reversed credit is left to a person", "[judge]") {
  CHECK(judged(Found{{kReversed}}) == person(Reason::reversed, "cr_1"));
  CHECK(judged(Found{{kSettled, named(kReversed, "cr_2")}}) == person(Reason::reversed, "cr_2"));
  CHECK(judged(Found{{named(kFailed, "cr_0"), kReversed}}) == person(Reason::reversed, "cr_1"));
}

TEST_CASE("row 2: reversed outranks mismatch", "[judge]") {
  auto other = named(kSettled, "cr_2");
  other.account = "A-2";
  CHECK(judged(Found{{kReversed, other}}) == person(Reason::reversed, "cr_1"));
}

TEST_CASE("row 3: another account, amount or currency is a mismatch", "[judge]") {
  auto other = kSettled;
  SECTION("account") { other.account = "A-2"; }
  SECTION("account, exact in case") { other.account = "a-1"; }
  SECTION("amount off by one minor unit") { other.amount = *Decimal::parse("250.01"); }
  SECTION("amount off in the twentieth place") {
    other.amount = *Decimal::parse("250.00000000000000000001");
  }
  SECTION("amount of the other sign") { other.amount = *Decimal::parse("-250"); }
  SECTION("currency") { other.currency = "EUR"; }
  SECTION("currency that only begins alike") { other.currency = "US"; }
  SECTION("currency with something behind it") { other.currency = "USDT"; }
  SECTION("currency empty") { other.currency = ""; }
  CHECK(judged(Found{{other}}) == person(Reason::mismatch, "cr_1"));
}

TEST_CASE("row 3: a mismatch outranks pending and an unlisted state", "[judge]") {
  for (auto other : {kPending, kUnlisted}) {
    other.amount = *Decimal::parse("1");
    CHECK(judged(Found{{other}}) == person(Reason::mismatch, "cr_1"));
  }
}

TEST_CASE("B24: an operation whose amount is no number equals no credit", "[judge]") {
  Given given;
  given.op.amount = std::nullopt;
  CHECK(judged(Found{{kSettled}}, given) == person(Reason::mismatch, "cr_1"));
}

TEST_CASE("row 3: what the answer cannot show is not compared", "[judge]") {
  auto silent = kSettled;
  silent.account = std::nullopt;
  silent.currency = std::nullopt;
  CHECK(judged(Found{{silent}}) == kProven);
}

TEST_CASE("row 3: the currency is compared without regard to case", "[judge]") {
  Given given;
  for (const auto* ours : {"USD", "usd", "Usd"}) {
    for (const auto* theirs : {"USD", "usd", "uSD"}) {
      given.op.currency = ours;
      auto it = kSettled;
      it.currency = theirs;
      CHECK(judged(Found{{it}}, given) == kProven);
    }
  }
  given.op.currency = "@";  // the neighbours of A and Z are no letters
  auto it = kSettled;
  it.currency = "`";
  CHECK(judged(Found{{it}}, given) == person(Reason::mismatch, "cr_1"));
  given.op.currency = "[";
  it.currency = "{";
  CHECK(judged(Found{{it}}, given) == person(Reason::mismatch, "cr_1"));
}

TEST_CASE("row 4: a state that the profile does not list is left to a person", "[judge]") {
  CHECK(judged(Found{{kUnlisted}}) == person(Reason::unrecognised_state, "cr_1"));
  CHECK(judged(Found{{named(kFailed, "cr_0"), kUnlisted}}) ==
        person(Reason::unrecognised_state, "cr_1"));
}

TEST_CASE("row 5: a pending credit is looked at again", "[judge]") {
  for (const auto& given : {Given{}, kTooEarly, kTooFewLooks}) {
    CHECK(judged(Found{{kPending}}, given) == again(Reason::pending, "cr_1"));
  }
}

TEST_CASE("row 5: a credit that stays pending is left to a person in the end", "[judge]") {
  CHECK(judged(Found{{kPending}}, kGivesUp) == person(Reason::pending_too_long, "cr_1"));
}

TEST_CASE("row 6: one settled credit that fits is proof, at any time", "[judge]") {
  for (const auto& given :
       {Given{}, Given{.as_of = kSubmitBy - 100h}, Given{.as_of = kSettledAt}, kGivesUp,
        Given{.earlier = {.credit_seen = true}}, while_provider(ProviderCondition::down)}) {
    CHECK(judged(Found{{kSettled}}, given) == kProven);
  }
}

TEST_CASE("row 6: failed credits beside the settled one do not matter", "[judge]") {
  auto other = named(kFailed, "cr_0");
  other.amount = *Decimal::parse("7");
  CHECK(judged(Found{{other, kSettled, named(kFailed, "cr_2")}}) == kProven);
}

TEST_CASE("row 7: only failed credits are left to a person, and are no Failed", "[judge]") {
  CHECK(judged(Found{{kFailed}}) == person(Reason::failed_at_provider, "cr_1"));
  CHECK(judged(Found{{kFailed, named(kFailed, "cr_2")}}) ==
        person(Reason::failed_at_provider, "cr_1"));
}

TEST_CASE("row 8: an absence after a credit was seen is a contradiction, inside the window too",
          "[judge]") {
  for (auto given : {Given{}, Given{.as_of = kSettledAt}, kGivesUp}) {
    given.earlier.credit_seen = true;
    CHECK(judged(Absent{}, given) == person(Reason::contradiction));
  }
}

TEST_CASE("row 9: an absence before window and settle time are over proves nothing", "[judge]") {
  for (const auto as_of : {kSubmitBy - 1h, kSubmitBy, kSubmitBy + kLag, kSettledAt - kTick}) {
    const auto verdict =
        judged(Absent{}, {.as_of = as_of, .earlier = {.since_recheck = 1'000'000}});
    CHECK(verdict == Verdict{Decision::unknown, Reason::absent_so_far, "", kSettledAt + 1s});
  }
}

TEST_CASE("row 10: an absence from the very end of that time on is left to a person", "[judge]") {
  for (const auto as_of : {kSettledAt, kSettledAt + kTick, kPatientUntil}) {
    CHECK(judged(Absent{}, {.as_of = as_of}) == person(Reason::absent_after_window));
  }
}

TEST_CASE("a complete answer with no credits in it is an absence", "[judge]") {
  CHECK(judged(Found{}, {.as_of = kSettledAt - kTick}).reason == Reason::absent_so_far);
  CHECK(judged(Found{}, {.as_of = kSettledAt}).reason == Reason::absent_after_window);
}

namespace {

struct Fault {
  Finding finding;
  Reason reason;
};
const Fault kFaults[] = {{Incomplete{{}, "page 2: 500"}, Reason::incomplete},
                         {Incomplete{{kSettled}, "page 2: 500"}, Reason::incomplete},
                         {Incomplete{{kReversed}, "page 2: 500"}, Reason::incomplete},
                         {NoAnswer{"timeout"}, Reason::no_answer},
                         {Unintelligible{"no JSON"}, Reason::unintelligible},
                         {MissingContext{"charge"}, Reason::missing_context}};

}  // namespace

TEST_CASE("row 11: a look without a usable answer is looked at again", "[judge]") {
  for (const auto& fault : kFaults) {
    for (const auto& given : {Given{}, Given{.as_of = kSettledAt}, kTooEarly, kTooFewLooks}) {
      CHECK(judged(fault.finding, given) == again(fault.reason));
    }
  }
}

TEST_CASE("row 11: it is left to a person from give-up on and after three looks", "[judge]") {
  for (const auto& fault : kFaults) {
    CHECK(judged(fault.finding, kGivesUp) == person(fault.reason));
    CHECK(judged(fault.finding, while_provider(ProviderCondition::answers_others)) ==
          person(fault.reason));
  }
}

TEST_CASE("row 11: nothing gives up because the provider is down", "[judge]") {
  const auto given = while_provider(ProviderCondition::down);
  CHECK(judged(NoAnswer{""}, given) == again(Reason::no_answer));
  CHECK(judged(Incomplete{{}, ""}, given) == again(Reason::incomplete));
  CHECK(judged(Unintelligible{""}, given) == person(Reason::unintelligible));
  CHECK(judged(MissingContext{""}, given) == person(Reason::missing_context));
}

TEST_CASE("row 12: throttled, refused and unreachable never give up by themselves", "[judge]") {
  for (const auto condition : {ProviderCondition::normal, ProviderCondition::down}) {
    const auto given = while_provider(condition);
    CHECK(judged(Throttled{1s}, given) == again(Reason::throttled));
    CHECK(judged(Refused{401}, given) == again(Reason::refused));
  }
  for (const auto condition :
       {ProviderCondition::normal, ProviderCondition::answers_others, ProviderCondition::down}) {
    CHECK(judged(Unreachable{""}, while_provider(condition)) == again(Reason::unreachable));
  }
}

TEST_CASE("row 12: turned away while others are answered counts as no answer", "[judge]") {
  const auto given = while_provider(ProviderCondition::answers_others);
  CHECK(judged(Throttled{}, given) == person(Reason::no_answer));
  CHECK(judged(Refused{403}, given) == person(Reason::no_answer));
  for (const auto& early : {kTooEarly, kTooFewLooks}) {
    const auto patient = while_provider(ProviderCondition::answers_others, early);
    CHECK(judged(Throttled{}, patient) == again(Reason::throttled));
    CHECK(judged(Refused{403}, patient) == again(Reason::refused));
  }
}
