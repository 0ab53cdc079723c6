// SPDX-License-Identifier: Apache-2.0
#include "reconcile/paging.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

JsonPointer at(std::string_view text) { return JsonPointer::parse(text).value(); }

/// One turn as a word: "last", "more VALUE", "stuck: …" or "undeclared: …".
std::string turn(PageWalk& walk, const std::string& text) {
  const auto document = json::read(text);
  const auto& root = document.document->root();
  const auto found = RowsPointer::parse("/data")->resolve(root);
  RowsRead page;
  page.rows = found.rows.size();
  page.last = found.rows.empty() ? nullptr : found.rows.back();
  const auto next = walk.next(root, page);
  if (const auto* more = std::get_if<PageWalk::More>(&next)) return "more " + more->value;
  if (const auto* stuck = std::get_if<PageWalk::Stuck>(&next)) return "stuck: " + stuck->why;
  if (const auto* undeclared = std::get_if<PageWalk::Undeclared>(&next))
    return "undeclared: " + undeclared->why;
  return "last";
}

std::string first_turn(const Paging& paging, const std::string& text) {
  PageWalk walk(paging, 10);
  return turn(walk, text);
}

constexpr char kLoop[] = "stuck: the listing loops: a cursor came twice";
constexpr char kEmpty[] = "stuck: an empty page that says there is more";

}  // namespace

TEST_CASE("without paging the first answer is all", "[paging]") {
  const Paging paging = NoPaging{};
  PageWalk walk(paging, 1);
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
  PageWalk walk(paging, 10);
  CHECK(turn(walk, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(walk, R"({"data":[1],"next":"b"})") == "more b");
  CHECK(turn(walk, R"({"data":[1],"next":"a"})") == kLoop);
}

TEST_CASE("max_pages counts pages, and a last page within it is the last", "[paging]") {
  const Paging paging = CursorPaging{"cursor", at("/next")};
  PageWalk fits(paging, 2);
  CHECK(turn(fits, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(fits, R"({"data":[1]})") == "last");
  PageWalk exceeds(paging, 2);
  CHECK(turn(exceeds, R"({"data":[1],"next":"a"})") == "more a");
  CHECK(turn(exceeds, R"({"data":[1],"next":"b"})") == "stuck: more than max_pages (2)");
}

TEST_CASE("numbered pages follow the number that the answer names", "[paging]") {
  const Paging paging = PagePaging{"page", std::nullopt, at("/meta/next"), 0};
  PageWalk walk(paging, 10);
  CHECK_FALSE(walk.first());
  CHECK(turn(walk, R"({"data":[1],"meta":{"next":2}})") == "more 2");
  CHECK(turn(walk, R"({"data":[1],"meta":{"next":null}})") == "last");
  const Paging with_first = PagePaging{"page", 1, at("/meta/next"), 0};
  PageWalk loops(with_first, 10);
  CHECK(loops.first() == "1");
  CHECK(turn(loops, R"({"data":[1],"meta":{"next":1}})") == kLoop);
}

TEST_CASE("numbered pages are counted until one is short", "[paging]") {
  const Paging paging = PagePaging{"page", 0, std::nullopt, 2};
  PageWalk walk(paging, 10);
  CHECK(walk.parameter() == "page");
  CHECK(walk.first() == "0");
  CHECK(turn(walk, R"({"data":[1,2]})") == "more 1");
  CHECK(turn(walk, R"({"data":[1,2,3]})") == "more 2");
  CHECK(turn(walk, R"({"data":[1]})") == "last");
  CHECK(first_turn(paging, R"({"data":[]})") == "last");
}
