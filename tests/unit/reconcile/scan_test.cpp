// SPDX-License-Identifier: Apache-2.0
#include "reconcile/scan.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
using Kind = ProviderSignal::Kind;

namespace {

constexpr char kPaging[] = "{kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}";
constexpr char kCursorPaging[] = "{kind: cursor, param: cursor, cursor_at: /next}";
constexpr char kBase[] =
    "https://api.example.com/v1/credits?key=6fa459ea-ee8a-4ca4-894e-db77e160355e";

std::string row(const std::string& id, const std::string& key = samples::kKey,
                const std::string& amount = "\"250.00\"") {
  return fmt::format(
      R"({{"id":"{}","key":"{}","account":"A-1","amount":{},"currency":"USD","status":"posted"}})",
      id, key, amount);
}

HttpAnswer json_answer(std::string body, int status = 200) {
  return {status, {{"content-type", "application/json"}}, std::move(body)};
}

HttpAnswer page(const std::string& rows, bool more = false) {
  return json_answer(fmt::format(R"({{"data":[{}],"has_more":{}}})", rows, more));
}

HttpAnswer status(int code, std::vector<std::pair<std::string, std::string>> headers = {}) {
  return {code, std::move(headers), ""};
}

/// How one scan went: what was asked, and the end.
struct Course {
  std::vector<std::string> urls;
  Finding finding;
  ProviderSignal signal;
  int http_status = 0;
  int pages = 0;

  std::string end() const { return std::string(word(finding)); }
  std::size_t credits() const {
    if (const auto* found = std::get_if<Found>(&finding)) return found->credits.size();
    if (const auto* incomplete = std::get_if<Incomplete>(&finding))
      return incomplete->credits.size();
    return 0;
  }
};

/// Answers each request with the next reply. A request too many, or too few, fails the test.
Course run(const Profile& profile, const std::vector<HttpReply>& replies,
           const Operation& operation = samples::operation()) {
  Scan scan(profile, operation, samples::kAsOf);
  Course course;
  auto step = scan.begin();
  auto reply = replies.begin();
  while (const auto* request = std::get_if<HttpRequest>(&step)) {
    course.urls.push_back(request->url);
    REQUIRE(reply != replies.end());
    step = scan.next(*reply++);
  }
  CHECK(reply == replies.end());
  course.finding = std::get<Finding>(step);
  course.signal = scan.signal();
  course.http_status = scan.http_status();
  course.pages = scan.pages();
  return course;
}

}  // namespace

TEST_CASE("one complete page with our credit is found", "[scan]") {
  const auto course = run(samples::profile(), {page(row("x", "another") + "," + row("cr_1"))});
  CHECK(course.urls == std::vector<std::string>{kBase});
  REQUIRE(course.end() == "found");
  CHECK(std::get<Found>(course.finding).credits[0].reference == "cr_1");
  CHECK(course.signal.kind == Kind::answered);
  CHECK(course.http_status == 200);
  CHECK(course.pages == 1);
}

TEST_CASE("a request has the profile's headers and no credential", "[scan]") {
  const auto profile = samples::profile();
  Scan scan(profile, samples::operation(), samples::kAsOf);
  const auto request = std::get<HttpRequest>(scan.begin());
  CHECK(request.method == HttpMethod::get);
  CHECK(request.headers ==
        std::vector<std::pair<std::string, std::string>>{{"Example-Version", "2026-01-01"}});
  CHECK(request.body.empty());
}

TEST_CASE("the base URL's path comes first, its last slash is dropped", "[scan]") {
  const auto profile = samples::profile("https://api.example.com", "http://127.0.0.1:1/api/");
  CHECK(run(profile, {page("")}).urls[0] ==
        "http://127.0.0.1:1/api/v1/credits?key=6fa459ea-ee8a-4ca4-894e-db77e160355e");
}

TEST_CASE("a complete listing without our key is absent", "[scan]") {
  const auto course = run(samples::profile(), {page(row("a", "other"), true), page("")});
  CHECK(course.end() == "absent");
  CHECK(course.urls.back() == std::string(kBase) + "&starting_after=a");
  CHECK(course.pages == 2);
}

TEST_CASE("credits of all pages are kept, equal ones too", "[scan]") {
  const auto course = run(samples::profile(),
                          {page(row("cr_1"), true), page(row("b", "x"), true), page(row("cr_1"))});
  CHECK(course.end() == "found");
  CHECK(course.credits() == 2);
  CHECK(course.pages == 3);
}

TEST_CASE("a cursor is percent-encoded once", "[scan]") {
  const auto profile = samples::profile(kPaging, kCursorPaging);
  const auto course = run(profile, {json_answer(R"({"data":[1],"next":"a+b/c=&\u00fc%20"})"),
                                    json_answer(R"({"data":[]})")});
  CHECK(course.urls.back() == std::string(kBase) + "&cursor=a%2Bb%2Fc%3D%26%C3%BC%2520");
  auto text = samples::profile_text(kPaging, kCursorPaging);
  constexpr char kQuery[] = "  query: {key: \"{operation_id}\"}\n";
  text.erase(text.find(kQuery), sizeof(kQuery) - 1);
  const auto bare = run(samples::read(text),
                        {json_answer(R"({"data":[1],"next":"c"})"), json_answer(R"({"data":[]})")});
  CHECK(bare.urls.back() == "https://api.example.com/v1/credits?cursor=c");
}

TEST_CASE("counted pages start with the first number", "[scan]") {
  const auto profile = samples::profile(kPaging, "{kind: page, param: page, until_short: 1}");
  const auto course = run(profile, {json_answer(R"({"data":[1]})"), json_answer(R"({"data":[]})")});
  CHECK(course.end() == "absent");
  CHECK(course.urls ==
        std::vector<std::string>{std::string(kBase) + "&page=1", std::string(kBase) + "&page=2"});
}

TEST_CASE("B03: a cursor that dies between pages leaves the listing incomplete", "[scan]") {
  const auto profile = samples::profile(kPaging, kCursorPaging);
  const auto first = [](const std::string& one) {
    return json_answer(fmt::format(R"({{"data":[{}],"next":"c2"}})", one));
  };
  const auto expired = json_answer(R"({"errors":[{"field":"cursor"}]})", 400);
  const auto without = run(profile, {first(row("x", "other")), expired});
  CHECK(without.end() == "incomplete");
  CHECK(without.credits() == 0);
  CHECK(without.signal.kind == Kind::answered);
  CHECK(without.urls[0] == kBase);
  const auto with = run(profile, {first(row("cr_1")), expired});
  CHECK(with.end() == "incomplete");
  CHECK(with.credits() == 1);
  CHECK(explanation(with.finding) == "status 400 after page 1");
  const auto good = run(profile, {first(row("x", "other")),
                                  json_answer(fmt::format(R"({{"data":[{}]}})", row("cr_1")))});
  CHECK(good.end() == "found");
}

TEST_CASE("each status has its finding and its signal", "[scan]") {
  struct Case {
    int code;
    const char* finding;
    Kind signal;
  };
  const Case cases[] = {
      {401, "refused", Kind::refused_401},     {403, "refused", Kind::refused_403},
      {429, "throttled", Kind::throttled},     {408, "no-answer", Kind::no_answer},
      {409, "no-answer", Kind::no_answer},     {425, "no-answer", Kind::no_answer},
      {500, "no-answer", Kind::no_answer},     {502, "no-answer", Kind::no_answer},
      {503, "no-answer", Kind::no_answer},     {504, "no-answer", Kind::no_answer},
      {599, "no-answer", Kind::no_answer},     {201, "unintelligible", Kind::answered},
      {202, "unintelligible", Kind::answered}, {204, "unintelligible", Kind::answered},
      {206, "unintelligible", Kind::answered}, {301, "unintelligible", Kind::answered},
      {302, "unintelligible", Kind::answered}, {304, "unintelligible", Kind::answered},
      {307, "unintelligible", Kind::answered}, {400, "unintelligible", Kind::answered},
      {402, "unintelligible", Kind::answered}, {404, "unintelligible", Kind::answered},
      {410, "unintelligible", Kind::answered}, {422, "unintelligible", Kind::answered},
      {600, "unintelligible", Kind::answered}, {0, "unintelligible", Kind::answered}};
  const auto profile = samples::profile();
  for (const auto& [code, finding, signal] : cases) {
    CAPTURE(code);
    const auto first = run(profile, {status(code)});
    CHECK(first.end() == finding);
    CHECK(first.signal.kind == signal);
    CHECK(first.http_status == code);
    CHECK(first.pages == 0);
    const auto later = run(profile, {page(row("cr_1"), true), status(code)});
    CHECK(later.end() == "incomplete");
    CHECK(later.credits() == 1);
    CHECK(later.signal.kind == signal);
    CHECK(later.http_status == code);
    CHECK(later.pages == 1);
  }
  CHECK(std::get<Refused>(run(profile, {status(403)}).finding).status == 403);
}

TEST_CASE("Retry-After is handed on as it was said", "[scan]") {
  const auto profile = samples::profile();
  const auto waits = [&](int code, const char* value) {
    const auto course = run(profile, {status(code, {{"retry-after", value}})});
    REQUIRE(course.end() == "throttled");
    CHECK(course.signal.retry_after == std::get<Throttled>(course.finding).retry_after);
    return course.signal.retry_after;
  };
  CHECK(waits(429, "7") == Duration{7s});
  CHECK(waits(503, "120") == Duration{120s});
  CHECK(waits(503, "soon") == std::nullopt);
  CHECK(waits(503, "") == std::nullopt);
  CHECK(run(profile, {status(429)}).signal.retry_after == std::nullopt);
  const auto dated =
      run(profile, {status(429, {{"date", "Mon, 30 Nov 2026 10:00:00 GMT"},
                                 {"retry-after", "Mon, 30 Nov 2026 10:00:30 GMT"}})});
  CHECK(dated.signal.retry_after == Duration{30s});
  const auto later = run(profile, {page(row("x"), true), status(503, {{"retry-after", "9"}})});
  CHECK(later.end() == "incomplete");
  CHECK(later.signal.kind == Kind::throttled);
  CHECK(later.signal.retry_after == Duration{9s});
  CHECK(run(profile, {status(500, {{"retry-after", "9"}})}).end() == "no-answer");
}

TEST_CASE("B10: errors dressed as success are not absence, emptiness must be declared", "[scan]") {
  const auto profile = samples::profile();
  for (const auto* body :
       {R"({"error":{"code":"X"}})", R"({"data":null,"errors":[{}]})", "[]", R"({"data":"none"})",
        R"({"data":{}})", R"({"data":{"error":"x"}})", "null", "7", "\"\"", "{}", "",
        R"({"data":[]})", R"({"data":[],"has_more":"no"})"}) {
    CAPTURE(body);
    const auto course = run(profile, {json_answer(body)});
    CHECK(course.end() == "unintelligible");
    CHECK(course.signal.kind == Kind::answered);
    CHECK(course.pages == 0);
  }
  CHECK(run(profile, {status(204)}).end() == "unintelligible");
  CHECK(run(profile, {json_answer(R"({"detail":"nothing found"})", 400)}).end() ==
        "unintelligible");
  CHECK(run(profile, {json_answer("{}", 404)}).end() == "unintelligible");

  const auto declared = samples::profile("empty_statuses: []", "empty_statuses: [404]");
  CHECK(run(declared, {json_answer("{}", 404)}).end() == "absent");
  CHECK(run(declared, {status(404)}).http_status == 404);
  CHECK(run(declared, {status(400)}).end() == "unintelligible");
  CHECK(run(declared, {page(row("cr_1"), true), status(404)}).end() == "incomplete");
}

TEST_CASE("an error document is not an empty answer where the root was to hold rows", "[scan]") {
  auto text = samples::profile_text("at: /data", "at: \"\"");
  text.replace(text.find(kPaging), sizeof(kPaging) - 1, "{kind: none}");
  const auto profile = samples::read(text);
  CHECK(run(profile, {json_answer("[]")}).end() == "absent");
  CHECK(run(profile, {json_answer("[" + row("cr_1") + "]")}).end() == "found");
  CHECK(run(profile, {json_answer(row("cr_1"))}).end() == "found");
  CHECK(run(profile, {json_answer(R"({"error":{"code":"X"}})")}).end() == "unintelligible");
}

TEST_CASE("B11: only JSON that says it is JSON is read", "[scan]") {
  const auto profile = samples::profile();
  const auto body = page(row("cr_1")).body;
  const auto with_type = [&](const char* type) {
    return run(profile, {HttpAnswer{200, {{"content-type", type}}, body}}).end();
  };
  for (const auto* type :
       {"application/json", "Application/JSON", "application/json;charset=utf-8",
        "application/json ; charset=\"UTF-8\"", " application/json",
        "application/hal+json; charset=utf-8", "application/vnd.example.v1.hal+json"}) {
    CAPTURE(type);
    CHECK(with_type(type) == "found");
  }
  for (const auto* type : {"text/html", "text/json", "text/plain", "", "application/jsonp",
                           "application/+json", "application/xml", "application/json-seq", "json",
                           "image/svg+json", "application/x; y=application/json"}) {
    CAPTURE(type);
    CHECK(with_type(type) == "unintelligible");
  }
  CHECK(run(profile, {HttpAnswer{200, {}, body}}).end() == "unintelligible");
  CHECK(run(profile, {json_answer("\xEF\xBB\xBF" + body)}).end() == "found");
  CHECK(run(profile, {json_answer("\x1f\x8b\x08" + body)}).end() == "unintelligible");
  CHECK(run(profile, {json_answer("<html>maintenance</html>")}).end() == "unintelligible");
  CHECK(run(profile, {json_answer(body + body)}).end() == "unintelligible");
}

TEST_CASE("an answer that cannot be trusted as JSON is unintelligible", "[scan]") {
  const auto profile = samples::profile();
  const std::string bodies[] = {
      fmt::format(R"({{"data":[{}],"data":[],"has_more":false}})", row("cr_1")),
      fmt::format(R"({{"data":[{{"id":"a","key":"{0}","key":"b"}}],"has_more":false}})",
                  samples::kKey),
      page("\"\xFF\"").body, page(std::string(200, '[') + std::string(200, ']')).body};
  for (const auto& body : bodies) {
    CAPTURE(body);
    CHECK(run(profile, {json_answer(body)}).end() == "unintelligible");
    CHECK(run(profile, {page(row("cr_1"), true), json_answer(body)}).end() == "incomplete");
  }
}

TEST_CASE("a credit of ours that cannot be read decides nothing", "[scan]") {
  const auto profile = samples::profile();
  const auto broken = row("cr_1", samples::kKey, "\"1,000.00\"");
  CHECK(run(profile, {page(broken)}).end() == "unintelligible");
  CHECK(run(profile, {page(row("cr_2") + "," + broken)}).end() == "unintelligible");
  const auto later = run(profile, {page(row("cr_2"), true), page(row("cr_3") + "," + broken)});
  CHECK(later.end() == "incomplete");
  CHECK(later.credits() == 2);
  CHECK(run(profile, {page(row("x", "other", "\"1,000.00\"") + "," + row("cr_2"))}).end() ==
        "found");
  CHECK(run(profile, {page(row("cr_1", samples::kKey, "1e400"))}).end() == "found");
  CHECK(run(profile, {page(row("cr_1", samples::kKey, "1e401"))}).end() == "unintelligible");
}

TEST_CASE("a listing that cannot be followed to its end is incomplete", "[scan]") {
  const auto profile = samples::profile();
  const auto loop = run(profile, {page(row("a", "x"), true), page(row("a", "x"), true)});
  CHECK(loop.end() == "incomplete");
  CHECK(explanation(loop.finding) == "the listing loops: a cursor came twice after page 2");
  CHECK(run(profile, {page("", true)}).end() == "incomplete");
  const auto after = run(profile, {page(row("cr_1"), true), page("", true)});
  CHECK(after.end() == "incomplete");
  CHECK(after.credits() == 1);
  const auto many =
      run(profile, {page(row("a"), true), page(row("b"), true), page(row("c"), true)});
  CHECK(many.end() == "incomplete");
  CHECK(many.credits() == 3);
  CHECK(many.urls.size() == 3);
  CHECK(explanation(many.finding) == "more than max_pages (3) after page 3");
  CHECK(many.signal.kind == Kind::answered);
}

TEST_CASE("a page that does not say where to go still shows its credits", "[scan]") {
  const auto course =
      run(samples::profile(), {json_answer(fmt::format(R"({{"data":[{}]}})", row("cr_1")))});
  CHECK(course.end() == "incomplete");
  CHECK(course.credits() == 1);
}

TEST_CASE("only a unique key ends a scan early, and only after a match", "[scan]") {
  const auto unique = samples::profile("key: {at: /key}", "key: {at: /key, unique: true}");
  const auto early = run(unique, {page(row("x", "other"), true), page(row("cr_1"), true)});
  CHECK(early.end() == "found");
  CHECK(early.pages == 2);
  CHECK(run(unique, {page(row("x", "other"), true), page("")}).end() == "absent");
  CHECK(run(unique, {page(row("cr_1", samples::kKey, "{}"), true)}).end() == "unintelligible");
  CHECK(run(samples::profile(), {page(row("cr_1"), true), page("")}).pages == 2);
}

TEST_CASE("a failure before sending differs from one after", "[scan]") {
  const auto profile = samples::profile();
  const auto unsent = run(profile, {HttpFailure{false, "connection refused"}});
  CHECK(unsent.end() == "unreachable");
  CHECK(unsent.signal.kind == Kind::unreachable);
  CHECK(unsent.http_status == 0);
  const auto sent = run(profile, {HttpFailure{true, "connection reset"}});
  CHECK(sent.end() == "no-answer");
  CHECK(sent.signal.kind == Kind::no_answer);
  CHECK(explanation(sent.finding) == "connection reset");
  for (const bool was_sent : {false, true}) {
    const auto later = run(profile, {page(row("cr_1"), true), HttpFailure{was_sent, "reset"}});
    CHECK(later.end() == "incomplete");
    CHECK(later.credits() == 1);
    CHECK(later.signal.kind == (was_sent ? Kind::no_answer : Kind::unreachable));
    CHECK(later.http_status == 200);
  }
}

TEST_CASE("a scan that runs out of time says how far it came", "[scan]") {
  const auto profile = samples::profile();
  const auto fresh = [&] { return Scan(profile, samples::operation(), samples::kAsOf); };
  auto unsent = fresh();
  unsent.begin();
  CHECK(word(unsent.out_of_time(false)) == "unreachable");
  CHECK(unsent.signal().kind == Kind::not_asked);
  auto sent = fresh();
  sent.begin();
  CHECK(word(sent.out_of_time(true)) == "no-answer");
  CHECK(sent.signal().kind == Kind::no_answer);
  for (const bool was_sent : {false, true}) {
    auto halfway = fresh();
    halfway.begin();
    halfway.next(page(row("cr_1"), true));
    const auto finding = halfway.out_of_time(was_sent);
    CHECK(std::get<Incomplete>(finding).credits.size() == 1);
    CHECK(halfway.signal().kind == (was_sent ? Kind::no_answer : Kind::answered));
  }
}

TEST_CASE("an operation without what the request needs asks nothing", "[scan]") {
  const auto by_context = samples::profile("{operation_id}", "{context.wallet}");
  const auto missing = run(by_context, {});
  CHECK(missing.end() == "missing-context");
  CHECK(std::get<MissingContext>(missing.finding).name == "context.wallet");
  auto operation = samples::operation();
  operation.provider_context = R"({"wallet":"w 1"})";
  CHECK(run(by_context, {page("")}, operation).urls[0] ==
        "https://api.example.com/v1/credits?key=w%201");
  const auto in_path = samples::profile("/v1/credits", "\"/v1/{account_id}/credits\"");
  operation.account_id = "..";
  const auto unsafe = run(in_path, {}, operation);
  CHECK(unsafe.end() == "unintelligible");
  CHECK(unsafe.signal.kind == Kind::not_asked);
}

TEST_CASE("what the provider wrote is not repeated in a reason", "[scan]") {
  const auto profile = samples::profile();
  const std::string secret = "Bearer-sk-live-1234";
  const HttpReply replies[] = {json_answer("{\"" + secret + "\":1}"),
                               json_answer(secret),
                               json_answer(fmt::format(R"({{"data":"{}"}})", secret)),
                               page(row("cr_1", samples::kKey, "\"" + secret + "\"")),
                               page(row(secret + "\\n")),
                               json_answer("{}", 418),
                               HttpAnswer{200, {{"content-type", secret}}, ""},
                               HttpAnswer{400, {{"www-authenticate", secret}}, secret}};
  for (const auto& reply : replies) {
    const auto course = run(profile, {reply});
    CHECK(course.end() == "unintelligible");
    CHECK(explanation(course.finding).find("sk-live") == std::string::npos);
    CHECK_FALSE(explanation(course.finding).empty());
  }
}

TEST_CASE("a scan may be moved between its steps", "[scan]") {
  const auto profile = samples::profile();
  Scan first(profile, samples::operation(), samples::kAsOf);
  first.begin();
  Scan second(std::move(first));
  const auto step = second.next(page(row("a", "x"), true));
  CHECK(std::get<HttpRequest>(step).url == std::string(kBase) + "&starting_after=a");
}

TEST_CASE("an answer cut anywhere is unintelligible, never absent", "[scan]") {
  const auto profile = samples::profile();
  const auto whole = page(row("cr_1") + "," + row("x", "other")).body;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    REQUIRE(run(profile, {json_answer(whole.substr(0, length))}).end() == "unintelligible");
  }
}

TEST_CASE("one byte changed anywhere never makes two credits, nor a crash", "[scan]") {
  const auto profile = samples::profile();
  const auto whole = page(row("cr_1")).body;
  const std::string bytes("\0\"\\{}[],:0-e\x80\xFF", 15);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char byte : bytes) {
      auto changed = whole;
      changed[at] = byte;
      CAPTURE(changed);
      Scan scan(profile, samples::operation(), samples::kAsOf);
      scan.begin();
      const auto step = scan.next(json_answer(changed));
      const auto* finding = std::get_if<Finding>(&step);
      const auto* found = finding == nullptr ? nullptr : std::get_if<Found>(finding);
      REQUIRE((found == nullptr || found->credits.size() == 1));
    }
  }
}
