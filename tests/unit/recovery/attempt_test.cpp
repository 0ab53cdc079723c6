// SPDX-License-Identifier: Apache-2.0
// One attempt's decisions (design §6).
#include "recovery/attempt.hpp"
#include "recovery/sql_attempt_store.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/recovery/pass_bench.hpp"

namespace reconciled::test {
namespace {

using Next = AttemptSends::Next;

TEST_CASE("an attempt follows only a complete absence inside the window", "[attempt]") {
  const Verdict so_far{Decision::unknown, Reason::absent_so_far};
  CHECK(may_attempt({.finding = Absent{}}, so_far));
  CHECK_FALSE(may_attempt({.finding = Absent{}},
                          {Decision::needs_reconciliation, Reason::absent_after_window}));
  CHECK_FALSE(
      may_attempt({.finding = Absent{}}, {Decision::needs_reconciliation, Reason::contradiction}));
  CHECK_FALSE(may_attempt({.finding = Incomplete{}}, {Decision::unknown, Reason::incomplete}));
  CHECK_FALSE(may_attempt({.finding = NoAnswer{}}, {Decision::unknown, Reason::no_answer}));
  CHECK_FALSE(may_attempt({.finding = Found{}}, {Decision::unknown, Reason::pending}));
}

TEST_CASE("only what was not transmitted is sent again, twice at most", "[attempt]") {
  AttemptSends sends;
  CHECK(sends.after(CreateResult::not_sent) == Next::send_again);
  CHECK(sends.after(CreateResult::not_sent) == Next::send_again);
  CHECK(sends.after(CreateResult::not_sent) == Next::done);
  for (const auto ends :
       {CreateResult::credit, CreateResult::not_processed, CreateResult::refused_for_good,
        CreateResult::foreign_credit, CreateResult::forbidden, CreateResult::unclear})
    CHECK(AttemptSends{}.after(ends) == Next::done);
}

TEST_CASE("a credential is refreshed once in an attempt", "[attempt]") {
  AttemptSends sends;
  CHECK(sends.after(CreateResult::unauthorised) == Next::refresh_credential);
  CHECK(sends.after(CreateResult::unauthorised) == Next::done);
}

TEST_CASE("the database is asked for what settings and guarantees say", "[attempt]") {
  AttemptTerms terms;
  terms.guarantees.visibility_lag = 2s;
  terms.guarantees.processing_time = 60s;
  const Look look{.finding = Absent{}, .http_status = 200, .pages = 3};
  const auto lease = lease_of(1);
  const auto plan = [&](KeyRetention retention) {
    terms.guarantees.key_retention = retention;
    return plan_permit(lease, look, terms);
  };
  using Kind = KeyRetention::Kind;
  const auto request = plan({Kind::permanent, {}});
  CHECK(request.as_of == kNow);
  CHECK(request.settle_time == 62s);
  CHECK(request.lease_needed == 20s);
  CHECK(request.lookup == R"({"finding":"absent","http_status":200,"pages":3})");
  CHECK_FALSE(request.key_life);
  CHECK(plan({Kind::finite, 24h}).key_life == 24h - 5min);
  CHECK(plan({Kind::finite, 1min}).key_life == Duration::zero());
  CHECK(plan({Kind::none, {}}).key_life == Duration::zero());
  CHECK(plan({Kind::undocumented, {}}).key_life == Duration::zero());
}

TEST_CASE("a create ends while its outcome can still be recorded", "[attempt]") {
  auto lease = lease_of(1);
  const SteadyTime now{1h};
  lease.work_until = now + 1min;
  CHECK(create_ends(lease, {}, now) == now + 10s);
  lease.work_until = now + 12s;
  CHECK(create_ends(lease, {}, now) == now + 7s);
}

TEST_CASE("a function's name cannot leave its quotes", "[attempt]") {
  CHECK(quoted_function("may_create") == "\"may_create\"");
  CHECK(quoted_function("s.may_create") == "\"s\".\"may_create\"");
  CHECK(quoted_function("a\"(b); DROP") == "\"a\"\"(b); DROP\"");
}

}  // namespace
}  // namespace reconciled::test
