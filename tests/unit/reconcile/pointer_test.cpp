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
  CHECK_FALSE(RowsPointer::parse("/a/*/b/*"));
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
  CHECK(unwrapped.rows[1]->find("id")->text == "2");
  CHECK(rows("/bare/*", read).rows.size() == 2);
  CHECK(rows("/mixed/*/credit", read).why == "an element without \"/credit\" at \"/mixed\"");
  CHECK_FALSE(rows("/one/*/credit", read).why.empty());
}
