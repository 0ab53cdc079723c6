// SPDX-License-Identifier: Apache-2.0
// A whole lookup against the scripted provider, with the profile of cases.md's set-up S0.
#include "reconcile/lookup.hpp"

#include "reconcile/profile_reader.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/http_bench.hpp"
#include "tests/support/test_provider.hpp"

using namespace reconciled;
using namespace reconciled::test;

namespace {

constexpr std::string_view kProfile = R"yaml(profile: 1
name: scripted
describes: Credits of the scripted provider
base_url: http://127.0.0.1:1
auth: {kind: bearer}
lookup:
  method: GET
  path: /v1/credits
  query: {key: "{operation_id}", limit: "2"}
  paging: {kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}
  max_pages: 3
credits:
  at: /data
  key: {at: /key}
  reference: {at: /id}
  account: {at: /account}
  amount: {at: /amount, type: decimal, unit: major, sign: positive}
  currency: {at: /currency}
  state: {at: /state, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}
guarantees:
  source: https://example.com/docs
  key_retention: 24h
  concurrent_same_key: atomic
  same_parameters: enforced
  visibility_lag: 0s
  processing_time: 0s
)yaml";

Profile profile(const std::string& base_url) {
  auto read = read_profile(kProfile);
  if (const auto* faults = std::get_if<1>(&read)) FAIL(yaml::report("profile", *faults));
  auto it = std::get<Profile>(std::move(read));
  it.base_url = base_url;
  return it;
}

struct Bench {
  Bench() {
    op.id.value.bytes[0] = 0x5a;
    op.account_id = "A-1";
    op.amount = Decimal::parse("250");
    op.currency = "USD";
  }

  std::string key() const { return to_string(op.id); }
  void holds(const std::string& id, const std::string& of) {
    provider.credit(key(), {{"id", id},
                            {"key", of},
                            {"amount", "250.00"},
                            {"currency", "USD"},
                            {"account", "A-1"},
                            {"state", "posted"}});
  }
  Look look(Duration until = kAmple) {
    HttpProvider door{asked, client, rate, timeout, reread};
    return run(loop, door.look_up(op, {}, SteadyClock::now() + until));
  }

  TestProvider provider;
  Profile asked = profile(provider.base_url());
  boost::asio::io_context loop{1};
  HttpClient client{loop.get_executor(), {.auth = asked.auth}, "old"};
  RateLimit rate{0};
  Duration timeout = kAmple;
  HttpProvider::ReadCredential reread;
  Operation op;
};

}  // namespace

TEST_CASE("a credit under the key is found", "[lookup]") {
  Bench bench;
  bench.holds("cr_1", bench.key());
  const auto look = bench.look();
  REQUIRE(word(look.finding) == "found");
  const auto& credits = std::get<Found>(look.finding).credits;
  REQUIRE(credits.size() == 1);
  CHECK(credits.front() ==
        Credit{"cr_1", "A-1", *Decimal::parse("250"), "USD", CreditState::settled});
  CHECK(look.http_status == 200);
  CHECK(look.pages == 1);
  CHECK(look.duration > 0s);
  CHECK(look.signal.kind == ProviderSignal::Kind::answered);
}

TEST_CASE("nothing under the key is an absence", "[lookup]") {
  Bench bench;
  CHECK(word(bench.look().finding) == "absent");
}

TEST_CASE("all pages are read", "[lookup]") {
  Bench bench;
  for (const auto* other : {"cr_a", "cr_b", "cr_c"}) bench.holds(other, "another");
  bench.holds("cr_1", bench.key());
  const auto look = bench.look();
  CHECK(word(look.finding) == "found");
  CHECK(look.pages == 2);
  CHECK(query_value(bench.provider.requests().at(1).target, "starting_after") == "cr_b");
}

TEST_CASE("a cut on a later page leaves the answer incomplete", "[lookup]") {
  Bench bench;
  for (const auto* other : {"cr_a", "cr_b", "cr_c"}) bench.holds(other, "another");
  bench.provider.then(bench.key(), {{}, {.cut = Cut::mid_body}});
  const auto look = bench.look();
  CHECK(word(look.finding) == "incomplete");
  CHECK(look.signal.kind == ProviderSignal::Kind::no_answer);
}

TEST_CASE("answers that are none become the findings of design §5", "[lookup]") {
  using Kind = ProviderSignal::Kind;
  struct Row {
    Behaviour how;
    std::string_view finding;
    Kind kind;
  };
  const Row rows[] = {
      {{.status = 500}, "no-answer", Kind::no_answer},
      {{.cut = Cut::before_answer}, "no-answer", Kind::no_answer},
      {{.status = 404, .cut = Cut::mid_headers}, "no-answer", Kind::no_answer},
      {{.status = 429, .headers = {{"Retry-After", "7"}}}, "throttled", Kind::throttled},
      {{.status = 401}, "refused", Kind::refused_401},
      {{.status = 403}, "refused", Kind::refused_403},
      {{.status = 302}, "unintelligible", Kind::answered},
      {{.body = "<html>", .type = "text/html"}, "unintelligible", Kind::answered}};
  for (const auto& row : rows) {
    CAPTURE(row.how.status, row.finding);
    Bench bench;
    bench.provider.always("", row.how);
    const auto look = bench.look();
    CHECK(word(look.finding) == row.finding);
    CHECK(look.signal.kind == row.kind);
  }
}

TEST_CASE("B11 (c): gzip that does not say so is no answer", "[lookup]") {
  Bench bench;
  bench.provider.always("", {.body = gzipped(R"({"data":[],"has_more":false})")});
  CHECK(word(bench.look().finding) == "unintelligible");
}

TEST_CASE("the lookup's timeout and the caller's deadline both bound it", "[lookup]") {
  Bench bench;
  bench.provider.always("", {.cut = Cut::never});
  SECTION("timeout") {
    bench.timeout = 100ms;
    CHECK(word(bench.look().finding) == "no-answer");
  }
  SECTION("deadline") { CHECK(word(bench.look(100ms).finding) == "no-answer"); }
}

TEST_CASE("a deadline before the rate limit's turn sends nothing", "[lookup]") {
  Bench bench;
  bench.rate = RateLimit{1};
  bench.timeout = 500ms;
  CHECK(word(bench.look().finding) == "absent");
  CHECK(word(bench.look().finding) == "unreachable");
  CHECK(bench.provider.request_count() == 1);
}

TEST_CASE("pages wait for the rate limit too", "[lookup]") {
  Bench bench;
  for (const auto* other : {"cr_a", "cr_b", "cr_c"}) bench.holds(other, "another");
  bench.rate = RateLimit{10};
  const auto look = bench.look();
  CHECK(look.pages == 2);
  CHECK(look.duration >= 90ms);  // the second page's turn comes a tenth of a second later
}

TEST_CASE("after a 401 a credential that changed is used at once, and read once", "[lookup]") {
  Bench bench;
  int reads = 0;
  std::optional<std::string> now = "new";
  bench.reread = [&] { return ++reads, now; };
  SECTION("it changed") {
    bench.provider.then("", {{.status = 401}});
    CHECK(word(bench.look().finding) == "absent");
    CHECK(bench.provider.requests().at(1).header("Authorization") == "Bearer new");
  }
  SECTION("it changed and is refused too") {
    bench.provider.always("", {.status = 401});
    CHECK(word(bench.look().finding) == "refused");
    CHECK(bench.provider.request_count() == 2);
  }
  SECTION("it is the same") {
    now = "old";
    bench.provider.always("", {.status = 401});
    CHECK(word(bench.look().finding) == "refused");
    CHECK(bench.provider.request_count() == 1);
  }
  SECTION("it cannot be read") {
    now = std::nullopt;
    bench.provider.always("", {.status = 401});
    CHECK(word(bench.look().finding) == "refused");
    CHECK(bench.client.credential() == "old");
  }
  CHECK(reads == 1);
}
