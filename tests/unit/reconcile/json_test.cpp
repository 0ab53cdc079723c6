// SPDX-License-Identifier: Apache-2.0
#include "reconcile/json.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;
using json::Kind;

namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string object_of(int members, std::string_view extra) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) text += "\"m" + std::to_string(i) + "\":1,";
  return text + std::string(extra) + "}";
}

}  // namespace

TEST_CASE("every number keeps the text it was written with", "[json]") {
  const std::string numbers[] = {"0",
                                 "-0",
                                 "250.00",
                                 "2.5e2",
                                 "2.5E+0002",
                                 "25000e-2",
                                 "1e400",
                                 "1e999999999",
                                 "-1e-400",
                                 "0.1000000000000000055511151231257827",
                                 "18446744073709551616",
                                 "-9223372036854775808",
                                 "250.00000000000000000001"};
  for (const auto& number : numbers) {
    CAPTURE(number);
    for (const auto& text : {number, "[" + number + "]", "{\"a\":" + number + "}", number + " "}) {
      const auto read = json::read(text);
      REQUIRE(read.document);
      const auto& root = read.document->root();
      const auto& node = root.size == 0 ? root : *root.begin();
      CHECK(node.is(Kind::number));
      CHECK(node.text == number);
    }
  }
}

TEST_CASE("children are found by name and by place, past containers of any size", "[json]") {
  const std::string text = R"( {"a":[1,[2,3,[]],{}], "b":{"c":{"d":true},"e":null}, "f":"x"} )";
  const auto read = json::read(text);
  REQUIRE(read.document);
  const auto& root = read.document->root();
  CHECK(root.size == 3);
  CHECK(root.find("a")->at(0)->text == "1");
  CHECK(root.find("a")->at(1)->at(1)->text == "3");
  CHECK(root.find("a")->at(2)->is(Kind::object));
  CHECK(root.find("a")->at(3) == nullptr);
  CHECK(root.find("b")->find("c")->find("d")->text == "true");
  CHECK(root.find("b")->find("e")->is(Kind::null));
  CHECK(root.find("f")->text == "x");
  CHECK(root.find("g") == nullptr);
  CHECK(root.find("f")->find("x") == nullptr);
  CHECK(root.at(0) == nullptr);
}

TEST_CASE("strings and names are decoded, and stay where they are", "[json]") {
  const std::string text =
      R"({"\u0061b":"caf\u00e9 \ud83d\ude00\n","plain":"x\\y\/z","zero":"a\u0000b","last":"\u0041"})";
  auto read = json::read(text);
  REQUIRE(read.document);
  const auto moved = std::move(*read.document);
  CHECK(moved.root().find("ab")->text == "caf\xC3\xA9 \xF0\x9F\x98\x80\n");
  CHECK(moved.root().find("plain")->text == "x\\y/z");
  CHECK(moved.root().find("zero")->text == std::string_view("a\0b", 3));
  CHECK(moved.root().find("last")->text == "A");
}

TEST_CASE("only null and containers have no text", "[json]") {
  const auto read = json::read(R"(["s", 1, false, null, [], {}])");
  REQUIRE(read.document);
  const auto& root = read.document->root();
  CHECK(root.at(0)->scalar() == "s");
  CHECK(root.at(1)->scalar() == "1");
  CHECK(root.at(2)->scalar() == "false");
  for (std::size_t i = 3; i < 6; ++i) CHECK_FALSE(root.at(i)->scalar());
}

TEST_CASE("two members of one name make the text unintelligible", "[json]") {
  const std::string texts[] = {R"({"a":1,"a":1})", R"({"x":[{"a":1,"b":2,"a":3}]})",
                               R"({"a":1,"\u0061":2})", object_of(16, R"("m3":1)"),
                               object_of(200, R"("m99":1)")};
  for (const auto& text : texts) {
    CAPTURE(text);
    const auto read = json::read(text);
    CHECK_FALSE(read.document);
    CHECK(read.why == "the JSON names one member of an object twice");
  }
  CHECK(json::read(object_of(16, R"("z":1)")).document);
  CHECK(json::read(object_of(200, R"("z":1)")).document);
  CHECK(json::read(R"([{"a":1},{"a":1}])").document);
}

TEST_CASE("what is not one JSON text is refused, and not quoted", "[json]") {
  using namespace std::string_literals;
  const std::string texts[] = {"",
                               " ",
                               "nul",
                               "{",
                               "[1,]",
                               "{\"a\":1,}",
                               "{a:1}",
                               "'x'",
                               "[1] [2]",
                               "{}x",
                               "// c\n1",
                               "01",
                               "+1",
                               ".5",
                               "5.",
                               "NaN",
                               "Infinity",
                               "1e",
                               "\"\n\"",
                               "\"\\x41\"",
                               "\"\xC3\"",
                               "\"\xFF\"",
                               "\"\xC0\xAF\"",
                               "\"\xED\xA0\x80\"",
                               "\"\\ud800\"",
                               "<html>",
                               "\x1f\x8b\x08",
                               "\xFF\xFE[]",
                               "[]\0"s,
                               "secret-value"};
  for (const auto& text : texts) {
    CAPTURE(text);
    const auto read = json::read(text);
    CHECK_FALSE(read.document);
    CHECK_FALSE(read.why.empty());
    CHECK(read.why.find("secret") == std::string::npos);
  }
}

TEST_CASE("a leading byte order mark is dropped, one inside is not", "[json]") {
  const auto read = json::read("\xEF\xBB\xBF[1]");
  REQUIRE(read.document);
  CHECK(read.document->root().at(0)->text == "1");
  CHECK_FALSE(json::read("[\xEF\xBB\xBF"
                         "1]")
                  .document);
  CHECK_FALSE(json::read("\xEF\xBB\xBF").document);
}

TEST_CASE("nesting has a limit", "[json]") {
  CHECK(json::read(nested(json::kMostDepth)).document);
  CHECK_FALSE(json::read(nested(json::kMostDepth + 1)).document);
  CHECK_FALSE(json::read(nested(200'000)).document);
  CHECK_FALSE(json::read(std::string(200'000, '[')).document);
}
