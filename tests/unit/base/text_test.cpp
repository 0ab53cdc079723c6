// SPDX-License-Identifier: Apache-2.0
// Text from elsewhere as a JSON string: always one line, always valid UTF-8.
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

}  // namespace
}  // namespace reconciled::test
