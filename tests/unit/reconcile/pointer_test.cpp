// SPDX-License-Identifier: Apache-2.0
#include "reconcile/pointer.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

std::string at(std::string_view pointer, std::string_view text) {
  const auto read = json::read(text);
  const auto* node = JsonPointer::parse(pointer)->resolve(read.document->root());
  return node == nullptr ? "nothing" : std::string(node->scalar().value_or("a container"));
}

RowsPointer::Rows rows(std::string_view pointer, const json::ReadResult& read) {
  return RowsPointer::parse(pointer)->resolve(read.document->root());
}

}  // namespace

TEST_CASE("pointers resolve as in RFC 6901, section 5", "[pointer]") {
  constexpr char kText[] =
      R"({"foo":["bar","baz"],"":"0","a/b":"1","c%d":"2","e^f":"3","g|h":"4","i\\j":"5","k\"l":"6",)"
      R"(" ":"7","m~n":"8","*":"9"})";
  const std::pair<const char*, const char*> cases[] = {
      {"", "a container"},   {"/foo", "a container"},
      {"/foo/0", "bar"},     {"/", "0"},
      {"/a~1b", "1"},        {"/c%d", "2"},
      {"/e^f", "3"},         {"/g|h", "4"},
      {"/i\\j", "5"},        {"/k\"l", "6"},
      {"/ ", "7"},           {"/m~0n", "8"},
      {"/*", "9"},           {"/foo/1", "baz"},
      {"/foo/2", "nothing"}, {"/foo/01", "nothing"},
      {"/foo/-", "nothing"}, {"/foo/-1", "nothing"},
      {"/foo/", "nothing"},  {"/foo/99999999999999999999", "nothing"},
      {"/bar", "nothing"},   {"/foo/0/x", "nothing"},
      {"/foo/0x", "nothing"}};
  for (const auto& [pointer, expected] : cases) {
    CAPTURE(pointer);
    CHECK(at(pointer, kText) == expected);
  }
}

TEST_CASE("what is no pointer is refused", "[pointer]") {
  for (const auto* text : {"foo", "foo/bar", "/~", "/a~2", "/a/~x", " /a"}) {
    CAPTURE(text);
    CHECK_FALSE(JsonPointer::parse(text));
    CHECK_FALSE(RowsPointer::parse(text));
  }
  CHECK_FALSE(RowsPointer::parse("/a/*/b/*/c/*"));
  CHECK_FALSE(RowsPointer::parse("/a/*/~"));
}

TEST_CASE("rows are an array's elements, or one object", "[pointer]") {
  const auto read = json::read(R"({"data":[{"id":1},null,3],"one":{"id":1},"text":"x","none":[]})");
  CHECK(rows("/data", read).rows.size() == 3);
  CHECK_FALSE(rows("/data", read).single);
  CHECK(rows("/one", read).rows.size() == 1);
  CHECK(rows("/one", read).single);
  CHECK(rows("", read).single);
  CHECK(rows("/none", read).rows.empty());
  CHECK(rows("/none", read).why.empty());
  CHECK(rows("/text", read).why == "a string instead of an array at \"/text\"");
  CHECK(rows("/missing", read).why == "nothing at \"/missing\"");
}

TEST_CASE("a star unwraps each element", "[pointer]") {
  const auto read = json::read(
      R"({"list":[{"credit":{"id":1}},{"credit":{"id":2}}],"mixed":[{"credit":{}},{"other":{}}],)"
      R"("one":{"credit":{}},"bare":[1,2]})");
  const auto unwrapped = rows("/list/*/credit", read);
  REQUIRE(unwrapped.rows.size() == 2);
  CHECK(unwrapped.rows[1].node->find("id")->text == "2");
  CHECK(rows("/bare/*", read).rows.size() == 2);
  CHECK(rows("/mixed/*/credit", read).why == "an element without \"/credit\" at \"/mixed\"");
  CHECK_FALSE(rows("/one/*/credit", read).why.empty());
}

TEST_CASE("a second star goes through the arrays of the elements", "[pointer]") {
  const auto read = json::read(
      R"({"txs":[{"id":"a","entries":[{"n":1},{"n":2}]},{"id":"b","entries":[{"n":3}]}],)"
      R"("empty":[{"entries":[{"n":1}]},{"entries":[]}],"none":[],"bare":[{"entries":{}}]})");
  const auto nested = rows("/txs/*/entries/*", read);
  REQUIRE(nested.rows.size() == 3);
  CHECK(nested.rows[2].node->find("n")->text == "3");
  CHECK(nested.rows[1].around->find("id")->text == "a");
  CHECK(nested.listed == 2);
  CHECK(nested.last->find("id")->text == "b");
  CHECK(rows("/txs/*/entries/*/n", read).rows[0].node->text == "1");
  CHECK(rows("/none/*/entries/*", read).why.empty());
  CHECK(rows("/empty/*/entries/*", read).why == "an element whose \"/entries\" lists nothing");
  CHECK_FALSE(rows("/bare/*/entries/*", read).why.empty());
  CHECK(rows("/txs/*/entries/*/m", read).why ==
        "an element without \"/m\" in \"/txs/*/entries/*/m\"");
}

TEST_CASE("a pointer with ^ looks into the object around the rows", "[pointer]") {
  const auto read = json::read(R"({"account":"A","list":[{"wrap":"w","credit":{"id":1}}]})");
  const auto around = [&](const char* list, const char* pointer) {
    const auto found = rows(list, read);
    const auto* node = RowPointer::parse(pointer)->resolve(found.rows[0]);
    return node == nullptr ? std::string("nothing") : std::string(node->text);
  };
  CHECK(around("/list", "^/account") == "A");
  CHECK(around("/list/*", "^/wrap") == "w");
  CHECK(around("/list/*/credit", "^/wrap") == "w");
  CHECK(around("/list/*/credit", "/id") == "1");
  CHECK(around("/list/*/credit", "^/account") == "nothing");
  CHECK_FALSE(RowPointer::parse("^x"));
  CHECK_FALSE(RowPointer::parse("x"));
  CHECK(RowPointer::parse("^/a")->text() == "^/a");
}
