// SPDX-License-Identifier: Apache-2.0
#include "reconcile/profile_reader.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

std::vector<yaml::Fault> faults(const std::string& text) {
  auto result = read_profile(text);
  if (auto* found = std::get_if<std::vector<yaml::Fault>>(&result)) return std::move(*found);
  return {};
}

/// One change to the sample, and the one fault that it makes.
struct Case {
  const char* from;
  const char* to;
  const char* key;
  const char* what;
};

void check(const std::vector<Case>& cases) {
  for (const auto& [from, to, key, what] : cases) {
    CAPTURE(from, to);
    const auto found = faults(samples::profile_text(from, to));
    CAPTURE(yaml::report("profile", found));
    REQUIRE(found.size() == 1);
    CHECK(found[0].key == key);
    CHECK(found[0].what == what);
    CHECK(found[0].at.line > 0);
  }
}

constexpr char kPaging[] = "{kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}";
constexpr char kQuery[] = "query: {key: \"{operation_id}\"}";
constexpr char kAmount[] = "{at: /amount, type: decimal, unit: major, sign: positive}";
constexpr char kState[] =
    "{at: /status, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}";

}  // namespace

TEST_CASE("a profile is read with all that it says", "[profile]") {
  const auto profile = samples::profile();
  CHECK(profile.name == "sample");
  CHECK(profile.describes == "for tests");
  CHECK(profile.base_url == "https://api.example.com");
  CHECK(profile.auth.kind == Auth::Kind::bearer);
  REQUIRE(profile.headers.size() == 1);
  CHECK(profile.headers[0] == std::pair<std::string, std::string>("Example-Version", "2026-01-01"));
  CHECK(profile.lookup.method == HttpMethod::get);
  CHECK(profile.lookup.window.before == 5min);
  CHECK(profile.lookup.window.after == 1min);
  CHECK(profile.lookup.max_pages == 3);
  const auto& paging = std::get<LastIdPaging>(profile.lookup.paging);
  CHECK(paging.param == "starting_after");
  CHECK(paging.id_at.text() == "/id");
  CHECK(paging.more_at.text() == "/has_more");
  CHECK(std::get<RowPointer>(profile.credits.key.from).text() == "/key");
  CHECK_FALSE(profile.credits.key.fold_case);
  CHECK_FALSE(profile.credits.key.unique);
  CHECK(profile.credits.account->shown.at.text() == "/account");
  CHECK(profile.credits.amount.type == AmountRule::Type::decimal);
  CHECK(profile.credits.amount.unit == AmountRule::Unit::major);
  CHECK(profile.credits.state.reversed == std::vector<std::string>{"reversed"});
  CHECK(profile.guarantees.source == "the sample's handbook");
  CHECK(profile.guarantees.key_retention.kind == KeyRetention::Kind::finite);
  CHECK(profile.guarantees.key_retention.length == 24h);
}

TEST_CASE("the other forms of each part are read", "[profile]") {
  CHECK(samples::profile("{kind: bearer}", "{kind: basic}").auth.kind == Auth::Kind::basic);
  CHECK(samples::profile("{kind: bearer}", "{kind: none}").auth.kind == Auth::Kind::none);
  const auto header = samples::profile("{kind: bearer}", "{kind: header, name: X-Api-Key}");
  CHECK(header.auth.header_name == "X-Api-Key");
  CHECK(
      samples::profile("empty_statuses: []", "empty_statuses: [404, 204]").lookup.empty_statuses ==
      std::vector<int>{404, 204});
  CHECK(samples::profile("  max_pages: 3\n", "").lookup.max_pages == 50);
  CHECK(samples::profile("  window: {before: 5m, after: 1m}\n", "").lookup.window.before == 0s);

  const auto where = samples::profile(
      "  key: {at: /key}",
      "  where: [{at: /a, equals: b}, {at: /c, in: [d, e]}, {at: /f, absent: true}]\n"
      "  key: {pairs_at: /meta, name: k, value: v, equals: op, case: fold, unique: true}");
  REQUIRE(where.credits.where.size() == 3);
  CHECK(where.credits.where[0].one_of == std::vector<std::string>{"b"});
  CHECK(where.credits.where[1].one_of == std::vector<std::string>{"d", "e"});
  CHECK(where.credits.where[2].absent);
  const auto& pairs = std::get<KeyRule::Pairs>(where.credits.key.from);
  CHECK(pairs.at.text() == "/meta");
  CHECK(pairs.name_member == "k");
  CHECK(pairs.value_member == "v");
  CHECK(pairs.name == "op");
  CHECK(where.credits.key.fold_case);
  CHECK(where.credits.key.unique);

  const auto amount =
      samples::profile(kAmount,
                       "{at: /a, type: integer, unit: minor, sign: {by: /d, credit: [in, up]},"
                       " exponents: {isk: 2}}");
  CHECK(amount.credits.amount.type == AmountRule::Type::integer);
  CHECK(amount.credits.amount.unit == AmountRule::Unit::minor);
  CHECK(amount.credits.amount.sign == AmountRule::Sign::by);
  CHECK(amount.credits.amount.sign_at.text() == "/d");
  CHECK(amount.credits.amount.credit_words == std::vector<std::string>{"in", "up"});
  CHECK(amount.credits.amount.exponents == ExponentOverrides{{"ISK", 2}});
  CHECK(samples::profile("sign: positive", "sign: negative").credits.amount.sign ==
        AmountRule::Sign::negative);

  const auto constant = samples::profile("currency: {at: /currency}", "currency: {constant: usd}");
  CHECK(std::get<std::string>(constant.credits.currency) == "USD");
  const auto from = samples::profile("currency: {at: /currency}", "currency: {from: operation}");
  CHECK(std::holds_alternative<CurrencyFromOperation>(from.credits.currency));
  const auto state =
      samples::profile(kState, "{always: settled, reversed_if_present: /voided_at}").credits.state;
  CHECK_FALSE(state.at);
  CHECK(state.reversed_if_present->text() == "/voided_at");
  CHECK(samples::profile(kState, "{at: /s, settled: [a], reversed_if_present: /v}")
            .credits.state.reversed_if_present);
}

TEST_CASE("the paging kinds of this version are read", "[profile]") {
  CHECK(std::holds_alternative<NoPaging>(samples::profile(kPaging, "{kind: none}").lookup.paging));
  const auto cursor =
      samples::profile(kPaging, "{kind: cursor, param: after, cursor_at: /next, in: query}");
  CHECK(std::get<CursorPaging>(cursor.lookup.paging).cursor_at.text() == "/next");
  const auto named = samples::profile(kPaging, "{kind: page, param: page, next_at: /meta/next}");
  const auto& by_name = std::get<PagePaging>(named.lookup.paging);
  CHECK(by_name.next_at->text() == "/meta/next");
  CHECK_FALSE(by_name.first);
  const auto counted = samples::profile(kPaging, "{kind: page, param: page, until_short: 100}");
  const auto& by_count = std::get<PagePaging>(counted.lookup.paging);
  CHECK(by_count.until_short == 100);
  CHECK(by_count.first == 1);
}

TEST_CASE("the first page's number comes from the query, which then has it no more", "[profile]") {
  auto text = samples::profile_text(kPaging, "{kind: page, param: page, until_short: 100}");
  text.replace(text.find(kQuery), sizeof(kQuery) - 1, "query: {page: \"0\", k: v}");
  const auto lookup = samples::read(text).lookup;
  CHECK(std::get<PagePaging>(lookup.paging).first == 0);
  CHECK(lookup.query.size() == 1);
}

TEST_CASE("each guarantee has its words", "[profile]") {
  using Kind = KeyRetention::Kind;
  const std::pair<const char*, Kind> cases[] = {
      {"permanent", Kind::permanent}, {"none", Kind::none}, {"undocumented", Kind::undocumented}};
  for (const auto& [word, kind] : cases)
    CHECK(samples::profile("key_retention: 24h", "key_retention: " + std::string(word))
              .guarantees.key_retention.kind == kind);
  CHECK(samples::profile("same_key: undocumented", "same_key: atomic")
            .guarantees.concurrent_same_key_atomic);
  CHECK(samples::profile("parameters: undocumented", "parameters: enforced")
            .guarantees.same_parameters_enforced);
  const auto promised =
      samples::profile(
          "  visibility_lag: 0s\n  processing_time: 0s\n",
          "  visibility_lag: 3h\n  processing_time: 1m\n"
          "  not_processed: [{status: 429, with_header: Retry-After}, {status: 502}]\n")
          .guarantees;
  CHECK(promised.settle_time() == 3h + 1min);
  REQUIRE(promised.not_processed.size() == 2);
  CHECK(promised.not_processed[0].with_header == "Retry-After");
  CHECK(promised.not_processed[1].status == 502);
}

TEST_CASE("an unknown key is a fault at its place, with the nearest known one", "[profile]") {
  check({
      {"describes:", "descibes:", "descibes", "unknown key; did you mean describes?"},
      {"{kind: bearer}", "{kind: bearer, naem: x}", "auth.naem", "unknown key"},
      {"  max_pages", "  max_page", "lookup.max_page", "unknown key; did you mean max_pages?"},
      {"after: 1m}", "after: 1m, spam: 1d}", "lookup.window.spam",
       "unknown key; did you mean span?"},
      {"more_at: /has_more}", "more_at: /has_more, at: /x}", "lookup.paging.at", "unknown key"},
      {"  key: {at: /key}", "  key: {at: /key, uniqe: true}", "credits.key.uniqe",
       "unknown key; did you mean unique?"},
      {"{at: /id}", "{at: /id, type: string}", "credits.reference.type", "unknown key"},
      {"{at: /account}", "{at: /account, fold: true}", "credits.account.fold", "unknown key"},
      {"sign: positive}", "sign: positive, exponent: {}}", "credits.amount.exponent",
       "unknown key; did you mean exponents?"},
      {"{at: /currency}", "{at: /currency, case: fold}", "credits.currency.case", "unknown key"},
      {"reversed: [reversed]}", "reversed: [x], settle: [y]}", "credits.state.settle",
       "unknown key; did you mean settled?"},
      {"  source:", "  visible_lag: 1s\n  source:", "guarantees.visible_lag", "unknown key"},
      {"  key: {at: /key}", "  row: x\n  key: {at: /key}", "credits.row", "unknown key"},
      {"  key: {at: /key}", "  where: [{at: /a, equals: b, not: c}]\n  key: {at: /key}",
       "credits.where[0].not", "unknown key"},
      {"sign: positive", "sign: {by: /d, credit: [c], debit: [d]}", "credits.amount.sign.debit",
       "unknown key"},
      {"  processing_time: 0s", "  processing_time: 0s\n  not_processed: [{status: 500, body: x}]",
       "guarantees.not_processed[0].body", "unknown key"},
  });
}

TEST_CASE("a missing key is a fault", "[profile]") {
  check({
      {"profile: 1\n", "", "profile", "is missing"},
      {"name: sample\n", "", "name", "is missing"},
      {"base_url: https://api.example.com\n", "", "base_url", "is missing"},
      {"auth: {kind: bearer}\n", "", "auth", "is missing"},
      {"{kind: bearer}", "{kind: header}", "auth.name", "is missing"},
      {"  method: GET\n", "", "lookup.method", "is missing"},
      {"  path: /v1/credits\n", "", "lookup.path", "is missing"},
      {"before: 5m, ", "", "lookup.window.before", "is missing"},
      {", more_at: /has_more", "", "lookup.paging.more_at", "is missing"},
      {"id_at: /id, ", "", "lookup.paging.id_at", "is missing"},
      {"param: starting_after, ", "", "lookup.paging.param", "is missing"},
      {"  at: /data\n", "", "credits.at", "is missing"},
      {"  key: {at: /key}\n", "", "credits.key", "is missing"},
      {"  key: {at: /key}", "  key: {case: fold}", "credits.key.at", "is missing"},
      {"  reference: {at: /id}\n", "", "credits.reference", "is missing"},
      {"  account: {at: /account}\n", "", "credits.account", "is missing"},
      {"{at: /amount, ", "{", "credits.amount.at", "is missing"},
      {"type: decimal, ", "", "credits.amount.type", "is missing"},
      {"unit: major, ", "", "credits.amount.unit", "is missing"},
      {"sign: positive", "sign: {by: /d}", "credits.amount.sign.credit", "is missing"},
      {"  currency: {at: /currency}\n", "", "credits.currency", "is missing"},
      {"settled: [posted], ", "", "credits.state.settled", "is missing"},
      {"{at: /status, ", "{", "credits.state.at", "is missing"},
      {"  source: the sample's handbook\n", "", "guarantees.source", "is missing"},
      {"  key_retention: 24h\n", "", "guarantees.key_retention", "is missing"},
      {"  concurrent_same_key: undocumented\n", "", "guarantees.concurrent_same_key", "is missing"},
      {"  same_parameters: undocumented\n", "", "guarantees.same_parameters", "is missing"},
      {"  visibility_lag: 0s\n", "", "guarantees.visibility_lag", "is missing"},
      {"  processing_time: 0s\n", "", "guarantees.processing_time", "is missing"},
      {"  processing_time: 0s", "  processing_time: 0s\n  not_processed: [{with_header: a}]",
       "guarantees.not_processed[0].status", "is missing"},
  });
  const auto found = faults(samples::profile_text(std::string("  paging: ") + kPaging + "\n", ""));
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "lookup.paging");
}

TEST_CASE("a value of the wrong type or range is a fault", "[profile]") {
  constexpr char kPages[] = "must be a whole number from 1 to 1000, in plain digits";
  constexpr char kPointer[] = "\"key\" is no JSON pointer, such as /data/0/id";
  check({
      {"profile: 1", "profile: 2", "profile",
       "must be 1, the only form of a profile that this version knows"},
      {"name: sample", "name: Sample A", "name",
       "must be at most 64 lower-case letters, digits, dots, dashes and underscores"},
      {"name: sample", "name: \"\"", "name", "must not be empty"},
      {"describes: for tests", "describes: [a]", "describes", "must be a single value"},
      {"{kind: bearer}", "bearer", "auth", "must be a mapping of keys"},
      {"{kind: bearer}", "{kind: Bearer}", "auth.kind",
       "\"Bearer\" is none of bearer, basic, header, none; did you mean bearer?"},
      {"{kind: bearer}", "{kind: header, name: \"a b\"}", "auth.name", "is no name of a header"},
      {"max_pages: 3", "max_pages: 0", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 1001", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 010", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 0x2", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 1_0", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 2.0", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: \"3\"", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: -1", "lookup.max_pages", kPages},
      {"max_pages: 3", "max_pages: 99999999999999999999", "lookup.max_pages", kPages},
      {"before: 5m", "before: 5", "lookup.window.before",
       "\"5\" is no duration with its unit, such as 30s or 5m"},
      {"before: 5m", "before: 1:00", "lookup.window.before",
       "\"1:00\" is no duration with its unit, such as 30s or 5m"},
      {"before: 5m", "before:", "lookup.window.before", "has no value"},
      {"{at: /key}", "{at: key}", "credits.key.at", kPointer},
      {"at: /data", "at: data", "credits.at",
       "\"data\" is no JSON pointer with at most two *, such as /data"},
      {"at: /data", "at: /a/*/b/*/c/*", "credits.at",
       "\"/a/*/b/*/c/*\" is no JSON pointer with at most two *, such as /data"},
      {"{at: /key}", "{at: /key, unique: yes}", "credits.key.unique", "must be true or false"},
      {"{at: /key}", "{at: /key, unique: \"true\"}", "credits.key.unique", "must be true or false"},
      {"{at: /key}", "{at: /key, case: lower}", "credits.key.case",
       "\"lower\" is none of exact, fold"},
      {"{at: /key}", "{at: /key, pairs_at: /m, name: n, value: v, equals: o}", "credits.key.at",
       "and pairs_at exclude each other"},
      {"type: decimal", "type: float", "credits.amount.type",
       "\"float\" is none of integer, decimal"},
      {"sign: positive", "sign: plus", "credits.amount.sign",
       "\"plus\" is none of positive, negative"},
      {"sign: positive", "exponents: {USD: 9}", "credits.amount.exponents.USD",
       "must be a whole number from 0 to 8, in plain digits"},
      {"sign: positive", "exponents: {USD: 2, usd: 2}", "credits.amount.exponents.usd",
       "names a currency a second time"},
      {"settled: [posted]", "settled: posted", "credits.state.settled",
       "must be a list, such as [succeeded]"},
      {"settled: [posted]", "settled: []", "credits.state.settled",
       "lists nothing: no credit could ever be proven"},
      {"pending: [pending]", "pending: [posted]", "credits.state",
       "lists \"posted\" more than once"},
      {"key_retention: 24h", "key_retention: 1 day", "guarantees.key_retention",
       "\"1 day\" is no duration such as 24h, nor permanent, none or undocumented"},
      {"key_retention: 24h", "key_retention: 0s", "guarantees.key_retention",
       "\"0s\" is no duration such as 24h, nor permanent, none or undocumented"},
      {"empty_statuses: []", "empty_statuses: 404", "lookup.empty_statuses",
       "must be a list, such as [succeeded]"},
      {"  query: {key: \"{operation_id}\"}", "  query: {key: [a]}", "lookup.query.key",
       "must be a single value"},
  });
}

TEST_CASE("a status that never means empty cannot be declared as such", "[profile]") {
  for (const auto* status :
       {"200", "301", "401", "403", "408", "409", "425", "429", "500", "x", "4040", "404x", "-1"}) {
    CAPTURE(status);
    const auto found = faults(samples::profile_text(
        "empty_statuses: []", "empty_statuses: [" + std::string(status) + "]"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].key == "lookup.empty_statuses");
  }
}

TEST_CASE("parts that exclude or need each other are checked", "[profile]") {
  check({
      {"{at: /currency}", "{at: /currency, constant: USD}", "credits.currency",
       "needs one of at, constant and from"},
      {"{at: /currency}", "{}", "credits.currency", "needs one of at, constant and from"},
      {kState, "{always: settled, at: /status}", "credits.state.at",
       "and always exclude each other"},
      {"{at: /key}", "{at: /key}\n  where: [{at: /a}]", "credits.where[0]",
       "needs one of equals, in and absent"},
      {"{at: /key}", "{at: /key}\n  where: [{at: /a, equals: b, absent: true}]", "credits.where[0]",
       "needs one of equals, in and absent"},
      {"{at: /key}", "{at: /key}\n  where: [{at: /a, absent: false}]", "credits.where[0].absent",
       "can only be true"},
      {"{at: /key}", "{at: /key}\n  where: [{at: /a, in: []}]", "credits.where[0].in",
       "lists nothing"},
      {"{at: /key}", "{at: /key}\n  where: {at: /a, equals: b}", "credits.where",
       "must be a list of conditions"},
      {"{key: \"{operation_id}\"}", "{starting_after: x}", "lookup.paging.param",
       "is under lookup.query too"},
      {"  window: {before: 5m, after: 1m}\n", "  query2: x\n", "lookup.query2",
       "unknown key; did you mean query?"},
      {kPaging, "{kind: page, param: page}", "lookup.paging",
       "needs one of next_at, pages_at and until_short (the rows of a full page)"},
      {kPaging, "{kind: page, param: page, next_at: /n, until_short: 5}", "lookup.paging",
       "needs one of next_at, pages_at and until_short (the rows of a full page)"},
      {kPaging, "{kind: page, param: key, next_at: /n}", "lookup.paging.param",
       "stands in the request with no page number"},
  });
}

TEST_CASE("a window is needed where the request names it", "[profile]") {
  auto text = samples::profile_text("  window: {before: 5m, after: 1m}\n", "");
  text.replace(text.find(kQuery), sizeof(kQuery) - 1, "query: {from: \"{window_start:epoch}\"}");
  const auto found = faults(text);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "lookup");
  CHECK(found[0].what == "uses window_start or window_end, and has no window (before:, after:)");
}

TEST_CASE("an account that the answer does not show must be in the request", "[profile]") {
  constexpr char kAccount[] = "account: {at: /account}";
  const auto hidden = samples::profile_text(kAccount, "account: not_in_answer");
  const auto found = faults(hidden);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "credits.account");
  CHECK(found[0].what.find("not_in_answer needs {account_id}") == 0);
  const char* requests[] = {"query: {a: \"{account_id}\"}", "query: {a: \"{context.wallet}\"}",
                            "query: {\"f[{account_id}]\": x}"};
  for (const auto* request : requests) {
    auto text = hidden;
    CHECK_FALSE(samples::read(text.replace(text.find(kQuery), sizeof(kQuery) - 1, request))
                    .credits.account);
  }
  auto in_path = hidden;
  in_path.replace(in_path.find("/v1/credits"), 11, "/v1/{account_id}/credits");
  CHECK(faults(in_path).empty());
  check(
      {{kAccount, "account: hidden", "credits.account", "must be {at: POINTER} or not_in_answer"}});
}

TEST_CASE("templates and paths are checked with the profile", "[profile]") {
  check({
      {"path: /v1/credits", "path: v1/credits", "lookup.path", "a path starts with /"},
      {"path: /v1/credits", "path: /v1/credits?a=b", "lookup.path",
       "a path ends before ? and #; put parameters under query"},
      {"path: /v1/credits", "path: \"/v1/{account}\"", "lookup.path",
       "unknown template value {account}"},
      {"{operation_id}", "{created_at}", "lookup.query.key",
       "{created_at} needs a format, :epoch, :rfc3339 or :date"},
      {"{key: \"{operation_id}\"}", "{\"k{\": x}", "lookup.query.k{",
       "a brace without its partner"},
  });
}

TEST_CASE("headers are literal, and none of ours", "[profile]") {
  constexpr char kOwn[] =
      "is set by reconciled itself; the credential comes from provider.credential_file";
  constexpr char kFrom[] = "{Example-Version: \"2026-01-01\"}";
  check({
      {kFrom, "{\"a b\": c}", "headers.a b", "is no name of a header"},
      {kFrom, "{\"a\\r\\nb\": c}", "headers.a\r\nb", "is no name of a header"},
      {kFrom, "{A: \"b\\r\\nAuthorization: x\"}", "headers.A", "must be printable ASCII"},
      {kFrom, "{A: \"\xC3\xBC\"}", "headers.A", "must be printable ASCII"},
      {kFrom, "{A: \"{operation_id}\"}", "headers.A",
       "is sent as it stands; no template is filled in here"},
      {kFrom, "{authorization: x}", "headers.authorization", kOwn},
      {kFrom, "{Host: x}", "headers.Host", kOwn},
      {kFrom, "{Transfer-Encoding: x}", "headers.Transfer-Encoding", kOwn},
      {kFrom, "{A: b, a: c}", "headers.a", "names a header a second time"},
      {kFrom, "{A: }", "headers.A", "has no value"},
      {kFrom, "[a]", "headers", "must be a mapping of keys"},
  });
}

TEST_CASE("all faults come at once, in file order, with their places", "[profile]") {
  const auto found = faults(
      "profile: 2\n"
      "nmae: x\n"
      "auth: {kind: bearer, kind: basic}\n"
      "base_url: ftp://x\n"
      "lookup:\n"
      "  methods: GET\n"
      "  path: /a b\n"
      "  paging: {kind: none}\n"
      "credits: []\n"
      "guarantees: {source: x}\n");
  const auto report = yaml::report("p.yaml", found);
  CAPTURE(report);
  const char* expected[] = {"p.yaml:1:10: profile: must be 1",
                            "p.yaml:2:1: nmae: unknown key; did you mean name?",
                            "p.yaml:4:11: base_url: must start with https:// or http://",
                            "p.yaml:6:3: lookup.methods: unknown key; did you mean method?",
                            "p.yaml:7:9: lookup.path: a character that must be",
                            "p.yaml:9:10: credits: must be a mapping of keys",
                            "p.yaml:10:13: guarantees.key_retention: is missing"};
  for (const auto* line : expected) {
    CAPTURE(line);
    CHECK(report.find(line) != std::string::npos);
  }
  CHECK(report.find("p.yaml:3:") != std::string::npos);  // the duplicate key
  for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i - 1].at <= found[i].at);
}

TEST_CASE("a text that is no mapping is refused without noise", "[profile]") {
  for (const auto* text : {"", "x", "- a", "a: [", "\tx: 1", "a: 1\n---\nb: 2"}) {
    CAPTURE(text);
    CHECK_FALSE(faults(text).empty());
  }
  CHECK(faults("").size() == 1);
}

TEST_CASE("a base URL names a server and nothing else", "[profile]") {
  for (const auto* url : {"https://api.example.com", "http://127.0.0.1:8080", "https://a.b/c/d/",
                          "http://[::1]:1", "http://localhost", "https://a.b/%7Ex"}) {
    CAPTURE(url);
    CHECK(fault_of_base_url(url).empty());
  }
  for (const auto* url : {"",
                          "api.example.com",
                          "ftp://a",
                          "HTTPS://a",
                          "https://",
                          "https:///x",
                          "https://u@a",
                          "https://u:p@a",
                          "https://a?b",
                          "https://a#b",
                          "https://a/b?c",
                          "http://a:0",
                          "http://a:65536",
                          "http://a:",
                          "http://a:x",
                          "http://[::1",
                          "http://[]",
                          "http://a b",
                          "http://a/b c",
                          "http://a/\r\n",
                          "http://\xC3\xBC",
                          "http://a/\xC3\xBC",
                          "http://a/{x}",
                          "http://a\\b"}) {
    CAPTURE(url);
    CHECK_FALSE(fault_of_base_url(url).empty());
  }
}
