// SPDX-License-Identifier: Apache-2.0
#include "reconcile/paging.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

JsonPointer at(std::string_view text) { return JsonPointer::parse(text).value(); }

using Headers = std::vector<std::pair<std::string, std::string>>;

constexpr char kAsked[] = "https://api.example.com/v1/credits?key=K";

/// One turn as a word: "last", "more VALUE", "follow URL", "stuck: …" or "undeclared: …".
std::string turn(PageWalk& walk, const std::string& text, Headers headers = {},
                 const std::string& asked = kAsked) {
  const auto document = json::read(text);
  const auto& root = document.document->root();
  const auto found = RowsPointer::parse("/data")->resolve(root);
  RowsRead page;
  page.rows = found.listed;
  page.last = found.last;
  const auto next = walk.next(root, page, HttpAnswer{200, std::move(headers), ""}, asked);
  if (const auto* more = std::get_if<PageWalk::More>(&next)) return "more " + more->value;
  if (const auto* onward = std::get_if<PageWalk::Follow>(&next)) return "follow " + onward->url;
  if (const auto* stuck = std::get_if<PageWalk::Stuck>(&next)) return "stuck: " + stuck->why;
  if (const auto* undeclared = std::get_if<PageWalk::Undeclared>(&next))
    return "undeclared: " + undeclared->why;
  return "last";
}

const TotalRule kNoTotal;

std::string first_turn(const Paging& paging, const std::string& text, Headers headers = {}) {
  PageWalk walk(paging, kNoTotal, 10);
  return turn(walk, text, std::move(headers));
}

constexpr char kLoop[] = "stuck: the listing loops: a cursor came twice";
constexpr char kEmpty[] = "stuck: an empty page that says there is more";

}  // namespace

TEST_CASE("without paging the first answer is all", "[paging]") {
  const Paging paging = NoPaging{};
  PageWalk walk(paging, kNoTotal, 1);
  CHECK(walk.parameter().empty());
  CHECK_FALSE(walk.first());
  CHECK(turn(walk, R"({"data":[{}],"has_more":true})") == "last");
}

TEST_CASE("last_id pages start after the last row", "[paging]") {
  const Paging paging = LastIdPaging{"after", at("/id"), at("/has_more")};
  const std::pair<const char*, const char*> cases[] = {
      {R"({"data":[{"id":"a"},{"id":"b"}],"has_more":true})", "more b"},
      {R"({"data":[{"id":"a"},{"id":17}],"has_more":true})", "more 17"},
      {R"({"data":[{"id":"a"}],"has_more":false})", "last"},
      {R"({"data":[],"has_more":false})", "last"},
      {R"({"data":[],"has_more":true})", kEmpty},
      {R"({"data":[{"id":"a"}]})", "undeclared: no true or false at \"/has_more\""},
      {R"({"data":[{"id":"a"}],"has_more":null})", "undeclared: no true or false at \"/has_more\""},
      {R"({"data":[{"id":"a"}],"has_more":"false"})",
       "undeclared: no true or false at \"/has_more\""},
      {R"({"data":[{"id":"a"}],"has_more":0})", "undeclared: no true or false at \"/has_more\""},
      {R"({"data":[{"id":"a"},{}],"has_more":true})",
       "undeclared: no id of the last row at \"/id\""},
      {R"({"data":[{"id":""}],"has_more":true})", "undeclared: no id of the last row at \"/id\""},
      {R"({"data":[null],"has_more":true})", "undeclared: no id of the last row at \"/id\""}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(first_turn(paging, text) == expected);
  }
}

TEST_CASE("cursor pages go on while there is a cursor", "[paging]") {
  const Paging paging = CursorPaging{"cursor", at("/next")};
  const std::pair<const char*, const char*> cases[] = {
      {R"({"data":[1],"next":"c2"})", "more c2"},
      {R"({"data":[1],"next":2})", "more 2"},
      {R"({"data":[1],"next":null})", "last"},
      {R"({"data":[1],"next":""})", "last"},
      {R"({"data":[1]})", "last"},
      {R"({"data":[],"next":"c2"})", kEmpty},
      {R"({"data":[1],"next":{}})", "undeclared: an object instead of a cursor at \"/next\""},
      {R"({"data":[1],"next":[]})", "undeclared: an array instead of a cursor at \"/next\""},
      {R"({"data":[1],"next":false})", "undeclared: a boolean instead of a cursor at \"/next\""}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(first_turn(paging, text) == expected);
  }
}

TEST_CASE("a listing that comes back to a cursor is stuck, however long its circle", "[paging]") {
  const Paging paging = CursorPaging{"cursor", at("/next")};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK(turn(walk, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(walk, R"({"data":[1],"next":"b"})") == "more b");
  CHECK(turn(walk, R"({"data":[1],"next":"a"})") == kLoop);
}

TEST_CASE("max_pages counts pages, and a last page within it is the last", "[paging]") {
  const Paging paging = CursorPaging{"cursor", at("/next")};
  PageWalk fits(paging, kNoTotal, 2);
  CHECK(turn(fits, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(fits, R"({"data":[1]})") == "last");
  PageWalk exceeds(paging, kNoTotal, 2);
  CHECK(turn(exceeds, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(exceeds, R"({"data":[1],"next":"b"})") == "stuck: more than max_pages (2)");
}

TEST_CASE("numbered pages follow the number that the answer names", "[paging]") {
  const Paging paging = PagePaging{"page", std::nullopt, at("/meta/next"), 0};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK_FALSE(walk.first());
  CHECK(turn(walk, R"({"data":[1],"meta":{"next":2}})") == "more 2");
  CHECK(turn(walk, R"({"data":[1],"meta":{"next":null}})") == "last");
  const Paging with_first = PagePaging{"page", 1, at("/meta/next"), 0};
  PageWalk loops(with_first, kNoTotal, 10);
  CHECK(loops.first() == "1");
  CHECK(turn(loops, R"({"data":[1],"meta":{"next":1}})") == kLoop);
}

TEST_CASE("numbered pages are counted until one is short", "[paging]") {
  const Paging paging = PagePaging{"page", 0, std::nullopt, 2};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK(walk.parameter() == "page");
  CHECK(walk.first() == "0");
  CHECK(turn(walk, R"({"data":[1,2]})") == "more 1");
  CHECK(turn(walk, R"({"data":[1,2,3]})") == "more 2");
  CHECK(turn(walk, R"({"data":[1]})") == "last");
  CHECK(first_turn(paging, R"({"data":[]})") == "last");
}

TEST_CASE("numbered pages end with the number of pages that the answer names", "[paging]") {
  const Paging paging = PagePaging{"page", 1, std::nullopt, 0, at("/pages")};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK(walk.first() == "1");
  CHECK(turn(walk, R"({"data":[1],"pages":3})") == "more 2");
  CHECK(turn(walk, R"({"data":[1],"pages":"3"})") == "more 3");
  CHECK(turn(walk, R"({"data":[1],"pages":3})") == "last");
  CHECK(first_turn(paging, R"({"data":[],"pages":0})") == "last");
  CHECK(first_turn(paging, R"({"data":[],"pages":2})") == kEmpty);
  for (const auto* pages : {"null", "-1", "1.5", "\"\"", "{}"}) {
    CAPTURE(pages);
    CHECK(first_turn(paging, std::string(R"({"data":[1],"pages":)") + pages + "}") ==
          "undeclared: no number of pages at \"/pages\"");
  }
  PageWalk changed(paging, kNoTotal, 10);
  CHECK(turn(changed, R"({"data":[1],"pages":3})") == "more 2");
  CHECK(turn(changed, R"({"data":[1],"pages":2})") ==
        "stuck: the listing changed while it was read: another total");
  const Paging from_zero = PagePaging{"page", 0, std::nullopt, 0, at("/pages")};
  PageWalk zero(from_zero, kNoTotal, 10);
  CHECK(zero.first() == "0");
  CHECK(turn(zero, R"({"data":[1],"pages":2})") == "more 1");
  CHECK(turn(zero, R"({"data":[1],"pages":2})") == "last");
}

TEST_CASE("a cursor in a header is followed while there is one", "[paging]") {
  const Paging paging = HeaderCursorPaging{"after_cursor", "x-after-cursor"};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK(walk.parameter() == "after_cursor");
  CHECK_FALSE(walk.first());
  CHECK(turn(walk, R"({"data":[1]})", {{"x-after-cursor", "c2"}}) == "more c2");
  CHECK(turn(walk, R"({"data":[1]})", {{"x-after-cursor", "c2"}}) == kLoop);
  CHECK(first_turn(paging, R"({"data":[1]})") == "last");
  CHECK(first_turn(paging, R"({"data":[1]})", {{"x-after-cursor", ""}}) == "last");
  CHECK(first_turn(paging, R"({"data":[]})", {{"x-after-cursor", "c"}}) == kEmpty);
  CHECK(first_turn(paging, R"({"data":[1]})", {{"x-after-cursor", "a"}, {"x-after-cursor", "a"}}) ==
        "more a");
  CHECK(first_turn(paging, R"({"data":[1]})", {{"x-after-cursor", "a"}, {"x-after-cursor", "b"}}) ==
        "undeclared: two cursors in header x-after-cursor");
}

TEST_CASE("B05: a next URL is followed within its origin and nowhere else", "[paging]") {
  const Paging paging = NextUrlPaging{at("/next")};
  const auto after = [&](const std::string& next) {
    return first_turn(paging, R"({"data":[1],"next":)" + next + "}");
  };
  CHECK(after(R"("/v1/credits?page=2")") == "follow https://api.example.com/v1/credits?page=2");
  CHECK(after(R"("https://api.example.com/x?p=2")") == "follow https://api.example.com/x?p=2");
  constexpr char kElsewhere[] =
      "stuck: the next page's URL is not followed: it leads to another scheme, host or port";
  for (const auto* url : {R"("http://api.example.com/x")", R"("https://api.example.com:8443/x")",
                          R"("https://api.example.org/x")", R"("//other.example.com/x")"}) {
    CAPTURE(url);
    CHECK(after(url) == kElsewhere);
  }
  CHECK(after("null") == "last");
  CHECK(after("\"\"") == "last");
  CHECK(first_turn(paging, R"({"data":[1]})") == "last");
  CHECK(after("7") == "undeclared: a number instead of a URL at \"/next\"");
  CHECK(after("{}") == "undeclared: an object instead of a URL at \"/next\"");
  CHECK(first_turn(paging, R"({"data":[],"next":"/v1/x"})") == kEmpty);
  CHECK(after(R"("/v1/credits?key=K")") == kLoop);
}

TEST_CASE("a circle of URLs is a loop, however they are written", "[paging]") {
  const Paging paging = NextUrlPaging{at("/next")};
  PageWalk walk(paging, kNoTotal, 10);
  const std::string second = "https://api.example.com/v1/credits?page=2";
  CHECK(turn(walk, R"({"data":[1],"next":"?page=2"})") == "follow " + second);
  CHECK(turn(walk, R"({"data":[1],"next":"https://API.example.com:443/v1/credits?key=K"})", {},
             second) == kLoop);
}

TEST_CASE("B04: a Link header is followed as it comes, and a broken one is no last page",
          "[paging]") {
  const Paging paging = LinkHeaderPaging{};
  const auto after = [&](Headers headers) {
    return first_turn(paging, R"({"data":[1]})", std::move(headers));
  };
  CHECK(after({{"link", "</v1/credits?page=1>; rel=\"prev\""},
               {"link", "</v1/credits?key=K&f=a,b&page=2>; title=\"x, y\"; rel=next"}}) ==
        "follow https://api.example.com/v1/credits?key=K&f=a,b&page=2");
  CHECK(after({}) == "last");
  CHECK(after({{"link", "</v1/x?page=1>; rel=\"first\""}}) == "last");
  CHECK(after({{"link", "<https://api.example.com/x?page=2; rel=\"next\""}}) ==
        "undeclared: a Link header that is broken");
  CHECK(after({{"link", "<https://other.example.com/x>; rel=next"}}) ==
        "stuck: the next page's URL is not followed: it leads to another scheme, host or port");
}

TEST_CASE("offsets count the rows read, until a page is short", "[paging]") {
  const Paging paging = OffsetPaging{"skip", 2};
  PageWalk walk(paging, kNoTotal, 10);
  CHECK(walk.parameter() == "skip");
  CHECK(walk.first() == "0");
  CHECK(turn(walk, R"({"data":[1,2]})") == "more 2");
  CHECK(turn(walk, R"({"data":[1,2,3]})") == "more 5");
  CHECK(turn(walk, R"({"data":[1]})") == "last");
  CHECK(first_turn(paging, R"({"data":[]})") == "last");
}

TEST_CASE("a total makes the listing prove that it is whole", "[paging]") {
  const TotalRule total = at("/total");
  const Paging offset = OffsetPaging{"skip", 2};
  const auto walk_on = [&] { return PageWalk(offset, total, 10); };
  auto good = walk_on();
  CHECK(turn(good, R"({"data":[1,2],"total":3})") == "more 2");
  CHECK(turn(good, R"({"data":[1],"total":3})") == "last");
  auto capped = walk_on();  // the provider gives fewer rows a page than were asked for
  CHECK(turn(capped, R"({"data":[1],"total":2})") == "more 1");
  CHECK(turn(capped, R"({"data":[1],"total":2})") == "last");
  auto full = walk_on();
  CHECK(turn(full, R"({"data":[1,2],"total":2})") == "last");
  auto empty = walk_on();
  CHECK(turn(empty, R"({"data":[],"total":0})") == "last");
  auto hollow = walk_on();
  CHECK(turn(hollow, R"({"data":[],"total":1})") == kEmpty);
  auto changed = walk_on();
  CHECK(turn(changed, R"({"data":[1,2],"total":3})") == "more 2");
  CHECK(turn(changed, R"({"data":[1],"total":4})") ==
        "stuck: the listing changed while it was read: another total");
  auto silent = walk_on();
  CHECK(turn(silent, R"({"data":[1,2]})") == "undeclared: no total number of rows at \"/total\"");
}

TEST_CASE("every kind of paging is held to a declared total", "[paging]") {
  constexpr char kShort[] = "stuck: the listing ended before its own total";
  const TotalRule total = at("/total");
  const TotalRule in_header = std::string("x-total-count");
  const Paging kinds[] = {NoPaging{},
                          LastIdPaging{"after", at("/id"), at("/more")},
                          CursorPaging{"cursor", at("/next")},
                          HeaderCursorPaging{"cursor", "x-next"},
                          NextUrlPaging{at("/next")},
                          LinkHeaderPaging{},
                          PagePaging{"page", 1, std::nullopt, 2},
                          PagePaging{"page", 1, at("/next"), 0}};
  for (const auto& paging : kinds) {
    CAPTURE(paging.index());
    PageWalk ended(paging, total, 10);
    CHECK(turn(ended, R"({"data":[1],"more":false,"total":2})") == kShort);
    PageWalk whole(paging, total, 10);
    CHECK(turn(whole, R"({"data":[1],"more":false,"total":1})") == "last");
    PageWalk by_header(paging, in_header, 10);
    CHECK(turn(by_header, R"({"data":[1],"more":false})", {{"x-total-count", "2"}}) == kShort);
    PageWalk without(paging, in_header, 10);
    CHECK(turn(without, R"({"data":[1],"more":false})") ==
          "undeclared: no total number of rows in header x-total-count");
  }
}

TEST_CASE("pages of earlier parts of the window count for max_pages", "[paging]") {
  const Paging paging = CursorPaging{"cursor", at("/next")};
  PageWalk walk(paging, kNoTotal, 3, 2);
  CHECK(turn(walk, R"({"data":[1],"next":"a"})") == "stuck: more than max_pages (3)");
}
