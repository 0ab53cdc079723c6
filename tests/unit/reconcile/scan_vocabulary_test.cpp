// SPDX-License-Identifier: Apache-2.0
// Every kind of paging, POST lookups and split windows as whole scans: complete or inconclusive,
// never wrong (design §5).
#include "reconcile/scan.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
using Headers = std::vector<std::pair<std::string, std::string>>;

namespace {

constexpr char kPaging[] = "{kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}";
constexpr char kQuery[] = "query: {key: \"{operation_id}\"}";
constexpr char kBase[] = "https://api.example.com/v1/credits";

Profile profile(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = samples::kProfile;
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return samples::read(text);
}

std::string row(const std::string& id, const std::string& key = samples::kKey) {
  return fmt::format(
      R"({{"id":"{}","key":"{}","account":"A-1","amount":"250","currency":"USD","status":"posted"}})",
      id, key);
}

/// Rows under /data, and further members and headers.
HttpAnswer page(const std::string& rows, const std::string& more = "", Headers headers = {}) {
  headers.emplace_back("content-type", "application/json");
  return {200, std::move(headers), fmt::format(R"({{"data":[{}]{}}})", rows, more)};
}

HttpAnswer status(int code) { return {code, {}, ""}; }

struct Course {
  std::vector<HttpRequest> requests;
  Finding finding;
  std::string end() const { return std::string(word(finding)); }
};

Course run(const Profile& by, const std::vector<HttpReply>& replies,
           DatabaseTime as_of = samples::kAsOf) {
  Scan scan(by, samples::operation(), as_of);
  Course course;
  auto step = scan.begin();
  auto reply = replies.begin();
  while (const auto* request = std::get_if<HttpRequest>(&step)) {
    course.requests.push_back(*request);
    REQUIRE(reply != replies.end());
    step = scan.next(*reply++);
  }
  CHECK(reply == replies.end());
  course.finding = std::get<Finding>(step);
  return course;
}

/// One kind of paging: its YAML, what a page that is not the last adds, and how the second page is
/// asked for.
struct PagingCase {
  std::string paging;
  std::string more;
  std::string same_again;  ///< says the same next page once more
  Headers headers = {};
  std::string second_url;
  std::string query = kQuery;
  std::string last = "";  ///< what the last page adds
};

std::vector<PagingCase> paging_cases() {
  const std::string by_key = std::string(kBase) + "?key=" + samples::kKey;
  const Headers link = {{"link", "</v1/credits?p=2>; rel=\"next\""}};
  return {
      {kPaging,
       R"(,"has_more":true)",
       "",
       {},
       by_key + "&starting_after=r1",
       kQuery,
       R"(,"has_more":false)"},
      {"{kind: cursor, param: c, cursor_at: /next}", R"(,"next":"c2")", "", {}, by_key + "&c=c2"},
      {"{kind: page, param: p, next_at: /next}", R"(,"next":2)", "", {}, by_key + "&p=2"},
      {"{kind: page, param: p, until_short: 1}", "", "", {}, by_key + "&p=2"},
      {"{kind: page, param: p, pages_at: /pages}",
       R"(,"pages":2)",
       "",
       {},
       by_key + "&p=2",
       kQuery,
       R"(,"pages":2)"},
      {"{kind: next_url, at: /next}", R"(,"next":"?p=2")", "", {}, std::string(kBase) + "?p=2"},
      {"{kind: link_header}", "", "", link, std::string(kBase) + "?p=2"},
      {"{kind: header_cursor, header: X-After, param: c}",
       "",
       "",
       {{"x-after", "c2"}},
       by_key + "&c=c2"},
      {"{kind: offset, param: skip, limit: limit, total_at: /n}",
       R"(,"n":2)",
       "",
       {},
       std::string(kBase) + "?limit=1&skip=1",
       "query: {limit: \"1\"}",
       R"(,"n":2)"}};
}

}  // namespace

TEST_CASE("every kind of paging reads the second page, and only then concludes", "[scan]") {
  for (const auto& one : paging_cases()) {
    CAPTURE(one.paging);
    const auto by = profile({{kQuery, one.query}, {kPaging, one.paging}});
    const auto first = page(row("r1", "other"), one.more, one.headers);
    const bool until_short = one.paging.find("until_short") != std::string::npos;
    const std::vector<HttpReply> tail = until_short
                                            ? std::vector<HttpReply>{page(row("cr_1")), page("")}
                                            : std::vector<HttpReply>{page(row("cr_1"), one.last)};
    std::vector<HttpReply> replies{first};
    replies.insert(replies.end(), tail.begin(), tail.end());
    const auto found = run(by, replies);
    CHECK(found.end() == "found");
    CHECK(found.requests[1].url == one.second_url);
    // A match on the first page does not end the scan: the second may hold another.
    replies.front() = page(row("r1"), one.more, one.headers);
    const auto both = run(by, replies);
    REQUIRE(both.end() == "found");
    CHECK(std::get<Found>(both.finding).credits.size() == 2);
  }
}

TEST_CASE("for every kind of paging a second page that fails is never an absence", "[scan]") {
  for (const auto& one : paging_cases()) {
    CAPTURE(one.paging);
    const auto by = profile({{kQuery, one.query},
                             {kPaging, one.paging},
                             {"empty_statuses: []", "empty_statuses: [404]"}});
    const auto first = page(row("r1", "other"), one.more, one.headers);
    const HttpReply failures[] = {status(400),
                                  status(401),
                                  status(404),
                                  status(429),
                                  status(500),
                                  HttpFailure{true, "reset"},
                                  HttpFailure{false, "refused"},
                                  HttpAnswer{200, {{"content-type", "text/html"}}, "<html>"},
                                  HttpAnswer{200, {{"content-type", "application/json"}}, ""},
                                  HttpAnswer{200, {{"content-type", "application/json"}}, "{}"},
                                  HttpAnswer{200, {{"content-type", "application/json"}}, "null"}};
    for (const auto& failure : failures) CHECK(run(by, {first, failure}).end() == "incomplete");
  }
}

TEST_CASE("for every kind of paging a circle, an empty page and max_pages are incomplete",
          "[scan]") {
  for (const auto& one : paging_cases()) {
    CAPTURE(one.paging);
    const auto by = profile({{kQuery, one.query}, {kPaging, one.paging}});
    const auto first = page(row("r1", "other"), one.more, one.headers);
    // Counted pages cannot come back to a number; all others say the same next page again.
    const bool counts = one.paging.find("until_short") != std::string::npos ||
                        one.paging.find("pages_at") != std::string::npos ||
                        one.paging.find("offset") != std::string::npos;
    if (!counts) CHECK(run(by, {first, first}).end() == "incomplete");
    if (one.paging.find("until_short") == std::string::npos)
      CHECK(run(by, {page("", one.more, one.headers)}).end() == "incomplete");
    const auto one_page =
        profile({{kQuery, one.query}, {kPaging, one.paging}, {"max_pages: 3", "max_pages: 1"}});
    const auto capped = run(one_page, {first});
    CHECK(capped.end() == "incomplete");
    CHECK(explanation(capped.finding) == "more than max_pages (1) after page 1");
  }
}

TEST_CASE("B05: a next URL of another origin is not asked, and the listing is incomplete",
          "[scan]") {
  const auto by = profile({{kPaging, "{kind: next_url, at: /next}"}});
  for (const auto* url : {"http://api.example.com/x", "https://api.example.com:444/x",
                          "//evil.example/x", "https://user@api.example.com/x"}) {
    CAPTURE(url);
    const auto course = run(by, {page(row("r1", "other"), fmt::format(R"(,"next":"{}")", url))});
    CHECK(course.end() == "incomplete");
    CHECK(course.requests.size() == 1);
  }
}

TEST_CASE("a followed URL takes the headers along and nothing else", "[scan]") {
  const auto by = profile({{kPaging, "{kind: next_url, at: /next}"}});
  const auto course = run(by, {page(row("r1", "x"), R"(,"next":"/other?page=2")"), page("")});
  REQUIRE(course.requests.size() == 2);
  CHECK(course.requests[1].headers == course.requests[0].headers);
  CHECK(course.requests[1].body.empty());
  CHECK(course.end() == "absent");
}

TEST_CASE("a POST lookup sends its body, with the cursor in it", "[scan]") {
  const auto by =
      profile({{"GET", "POST"},
               {kQuery, "body: {customer: \"{context.charge}\", limit: 2}"},
               {kPaging, "{kind: cursor, param: next_page, cursor_at: /next, in: body}"}});
  const auto course = run(by, {page(row("r1", "other"), R"(,"next":"c\"2")"),
                               page(row("r2", "other"), R"(,"next":3)"), page(row("cr_1"))});
  CHECK(course.end() == "found");
  REQUIRE(course.requests.size() == 3);
  CHECK(course.requests[0].method == HttpMethod::post);
  CHECK(course.requests[0].url == kBase);
  CHECK(course.requests[0].body == R"({"customer":"ch_1","limit":2})");
  CHECK(course.requests[1].body == R"({"customer":"ch_1","limit":2,"next_page":"c\"2"})");
  CHECK(course.requests[2].body == R"({"customer":"ch_1","limit":2,"next_page":3})");
  CHECK(course.requests[2].url == kBase);
  const auto numbered = profile({{"GET", "POST"},
                                 {kQuery, "body: {page: 0}"},
                                 {kPaging, "{kind: page, param: page, in: body, until_short: 1}"}});
  const auto pages = run(numbered, {page(row("r1", "other")), page("")});
  CHECK(pages.requests[0].body == R"({"page":0})");
  CHECK(pages.requests[1].body == R"({"page":1})");
  const auto bare = profile({{"GET", "POST"}, {kQuery, "max_pages: 2"}, {"  max_pages: 3\n", ""}});
  CHECK(run(bare, {page("", R"(,"has_more":false)")}).requests[0].body == "{}");
}

TEST_CASE("a body without what it needs asks nothing", "[scan]") {
  const auto by = profile({{"GET", "POST"}, {kQuery, "body: {w: \"{context.wallet}\"}"}});
  const auto course = run(by, {});
  CHECK(course.end() == "missing-context");
  const auto account =
      profile({{"{at: /account}", "{at: /account, equals: \"{context.wallet}\"}"}});
  CHECK(run(account, {}).end() == "missing-context");
}

TEST_CASE("a window is listed in parts, each to its end", "[scan]") {
  const auto by =
      profile({{kQuery, "query: {from: \"{window_start:epoch}\", to: \"{window_end:epoch}\"}"},
               {"before: 5m, after: 1m", "before: 0s, after: 0s, span: 10m"},
               {kPaging, "{kind: cursor, param: c, cursor_at: /next}"},
               {"empty_statuses: []", "empty_statuses: [404]"}});
  const auto as_of = samples::operation().created_at + 19min;  // two parts
  const auto whole =
      run(by, {page(row("a", "other"), R"(,"next":"c2")"), page(""), page("")}, as_of);
  CHECK(whole.end() == "absent");
  REQUIRE(whole.requests.size() == 3);
  CHECK(whole.requests[0].url == std::string(kBase) + "?from=1767323045&to=1767323645");
  CHECK(whole.requests[1].url == whole.requests[0].url + "&c=c2");
  CHECK(whole.requests[2].url == std::string(kBase) + "?from=1767323643&to=1767324186");
  // The same cursor in another part is no circle, and a credit in any part is found.
  const auto late = run(
      by,
      {page(row("a", "x"), R"(,"next":"c2")"), page(""), page(row("b", "x"), R"(,"next":"c2")")},
      as_of);
  CHECK(explanation(late.finding) == "more than max_pages (3) after page 3");
  CHECK(run(by, {page(""), page(row("cr_1"))}, as_of).end() == "found");
  CHECK(run(by, {page(row("cr_1")), page("")}, as_of).end() == "found");
  CHECK(run(by, {status(404), page("")}, as_of).end() == "absent");
  CHECK(run(by, {status(404), status(404)}, as_of).end() == "absent");
  CHECK(run(by, {page(""), status(404)}, as_of).end() == "absent");
  CHECK(run(by, {page(""), status(500)}, as_of).end() == "incomplete");
  CHECK(run(by, {page(row("cr_1")), HttpFailure{true, "reset"}}, as_of).end() == "incomplete");
  CHECK(run(by, {status(404), status(500)}, as_of).end() == "no-answer");
}

TEST_CASE("a window of more parts than max_pages is never an absence", "[scan]") {
  const auto by =
      profile({{kQuery, "query: {from: \"{window_start:epoch}\", to: \"{window_end:epoch}\"}"},
               {"before: 5m, after: 1m", "before: 0s, after: 0s, span: 10m"},
               {kPaging, "{kind: none}"},
               {"empty_statuses: []", "empty_statuses: [404]"}});
  const auto as_of = samples::operation().created_at + 24h;
  CHECK(run(by, {page(""), page(""), page("")}, as_of).end() == "incomplete");
  CHECK(run(by, {status(404), status(404), status(404)}, as_of).end() == "unintelligible");
  CHECK(run(by, {page(""), page(""), page("")}, samples::operation().created_at + 29min).end() ==
        "absent");
}
