// SPDX-License-Identifier: Apache-2.0
// Text from elsewhere as a JSON string, always one line and valid UTF-8, and for a terminal.
#include "base/text.hpp"

#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

struct Quoting {
  std::string_view text, quoted;
};

TEST_CASE("any text becomes one valid JSON string", "[text]") {
  const auto [text, quoted] = GENERATE(values<Quoting>({
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"\"", R"("\"")"},
      {"a\"b\\c", R"("a\"b\\c")"},
      {"line\nend\r\ttab", R"("line\nend\r\ttab")"},
      {{"a\0b", 3}, R"("a\u0000b")"},
      {"\x1b[31m", R"("\u001b[31m")"},
      {"\x7f", R"("\u007f")"},
      {"caf\xc3\xa9", "\"caf\xc3\xa9\""},
      {"\xc3\xa9\"x", "\"\xc3\xa9\\\"x\""},
      {"cut \xc3", "\"cut \xef\xbf\xbd\""},
      {"\xff\xfe and on", "\"\xef\xbf\xbd\xef\xbf\xbd and on\""},
      {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
  }));
  CAPTURE(text);
  CHECK(json_quoted(text) == quoted);
}

TEST_CASE("what would drive a terminal is shown as a replacement, text stays as it is", "[text]") {
  CHECK(printable("zł €, plain") == "zł €, plain");
  CHECK(printable("\x1b[2Jgone") == "\xef\xbf\xbd[2Jgone");
  CHECK(printable("a\nb\x7f") ==
        "a\xef\xbf\xbd"
        "b\xef\xbf\xbd");
  CHECK(printable("\xff") == "\xef\xbf\xbd");
  CHECK(printable("").empty());
}

TEST_CASE("lines are broken at blanks and indented, and a long word stands alone", "[text]") {
  CHECK(wrapped("one two three", 2, 9) == "one two\n  three");
  CHECK(wrapped("one two", 2, 9) == "one two");
  CHECK(wrapped("one three", 2, 9) == "one\n  three");
  CHECK(wrapped("a-long-word-indeed b", 2, 9) == "a-long-word-indeed\n  b");
  CHECK(wrapped("", 2, 9).empty());
}

}  // namespace
}  // namespace reconciled::test
