// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;
using namespace std::string_view_literals;

TEST_CASE("whole characters of every length are valid", "[utf8]") {
  const auto text = GENERATE(as<std::string_view>{}, "", "a\x7f", "\xc2\x80", "\xdf\xbf",
                             "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf",
                             "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "zł €");
  CHECK(is_utf8(text));
}

TEST_CASE("overlong forms, surrogates, strays and cut characters are not", "[utf8]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "\x80", "\xc0\xaf", "\xc1\xbf", "\xc3", "\xc3(",
               "\xe0\x9f\xbf", "\xe2\x82", "\xe2\x28\xa1", "\xe2\x82\x28", "\xed\xa0\x80",
               "\xf0\x8f\xbf\xbf", "\xf0\x90\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff");
  CHECK_FALSE(is_utf8(text));
}

TEST_CASE("the valid part before a bad byte is measured", "[utf8]") {
  CHECK(valid_utf8_prefix("zł\xff€"sv) == 3);
  CHECK(valid_utf8_prefix("€\xe2\x82"sv) == 3);
  CHECK(valid_utf8_prefix("a\0b"sv) == 3);
}
