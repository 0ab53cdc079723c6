// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

Decimal number(std::string_view text) {
  const auto read = Decimal::parse(text);
  INFO(text);
  REQUIRE(read);
  return *read;
}

}  // namespace

TEST_CASE("equal amounts are equal however they are written", "[decimal]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "250", "250.00", "2.5e2", "25000e-2", "2.5E+0002",
               "250.000000000000000000000", "0.00025e6", "2500000e-0004", "250e-0");
  CHECK(number(text) == number("250"));
}

TEST_CASE("amounts that differ in the last place differ", "[decimal]") {
  CHECK(number("250.00000000000000000001") != number("250"));
  CHECK(number("-250") != number("250"));
  CHECK(number("1234.560") == number("1234.56"));
  CHECK(number("1234.561") != number("1234.56"));
  CHECK(number("0.1e400") != number("0.1e399"));
}

TEST_CASE("text that is no JSON number is no amount", "[decimal]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "", " ", "1,000.00", "1,234.56", "1.234,56", "1 234.56",
               "USD 1234.56", "1234.56 ", " 1234.56", "1'000", "1_000", "+1", ".5", "5.", "05",
               "00", "-", "-.5", "--1", "1-", "0x10", "NaN", "Infinity", "-Infinity", "inf", "1e",
               "1e+", "e5", "1e5.0", "1e5e5", "1.2.3", "１", "1e401", "1e-401", "1e999999999",
               "0.25e1000000", "1e99999999999999999999");
  CHECK_FALSE(Decimal::parse(text));
}

TEST_CASE("four hundred digits and an exponent of four hundred are the limits", "[decimal]") {
  CHECK(Decimal::parse(std::string(400, '9')));
  CHECK_FALSE(Decimal::parse(std::string(401, '9')));
  CHECK_FALSE(Decimal::parse("0." + std::string(400, '9')));
  CHECK(Decimal::parse("1e400"));
  CHECK(Decimal::parse("1e-400"));
  CHECK(Decimal::parse("1e" + std::string(1000, '0') + "7") == number("10000000"));
}

TEST_CASE("zero has no sign, no places and no exponent", "[decimal]") {
  for (const auto* text : {"0", "-0", "0.00", "-0.0e7", "0e-400"}) {
    CHECK(number(text) == Decimal{});
    CHECK(number(text).is_zero());
    CHECK_FALSE(number(text).is_negative());
    CHECK(number(text).to_string() == "0");
  }
}

TEST_CASE("sign and wholeness are known", "[decimal]") {
  CHECK(number("-1").is_negative());
  CHECK_FALSE(number("1").is_negative());
  CHECK(number("1.50e1").is_integer());
  CHECK_FALSE(number("1.5").is_integer());
  CHECK(number("0").is_integer());
  CHECK(number("1").negated() == number("-1"));
  CHECK(number("0").negated() == number("0"));
}

TEST_CASE("minor units become major ones without rounding", "[decimal]") {
  CHECK(number("1999").scaled(-2) == number("19.99"));
  CHECK(number("19.99").scaled(2) == number("1999"));
  CHECK(number("5").scaled(-3) == number("0.005"));
  CHECK(number("0").scaled(7) == number("0"));
}

TEST_CASE("numbers are printed plainly", "[decimal]") {
  CHECK(number("2.5e2").to_string() == "250");
  CHECK(number("-12345e-1").to_string() == "-1234.5");
  CHECK(number("5e-2").to_string() == "0.05");
  CHECK(number("123e-3").to_string() == "0.123");
  CHECK(number("1e3").to_string() == "1000");
  CHECK(number("250.1").to_string(2) == "250.10");
  CHECK(number("25e1").to_string(2) == "250.00");
  CHECK(number("-0.05").to_string(3) == "-0.050");
  CHECK(number("0.125").to_string(2) == "0.125");
  CHECK(number("0").to_string(2) == "0.00");
}

TEST_CASE("a printed number reads back equal, and scaling there and back changes nothing",
          "[decimal]") {
  std::mt19937 random{7};  // NOLINT: the same numbers in each run
  for (int round = 0; round < 2000; ++round) {
    std::string text = random() % 2 != 0 ? "-" : "";
    text += static_cast<char>('1' + random() % 9);
    for (auto more = random() % 30; more > 0; --more)
      text += static_cast<char>('0' + random() % 10);
    if (random() % 2 != 0) {
      text += '.';
      for (auto more = 1 + random() % 30; more > 0; --more)
        text += static_cast<char>('0' + random() % 10);
    }
    const auto value = number(text);
    CHECK(number(value.to_string()) == value);
    const auto power = static_cast<int>(random() % 41) - 20;
    CHECK(value.scaled(power) == number(text + "e" + std::to_string(power)));
    CHECK(value.scaled(power).scaled(-power) == value);
    CHECK(value.negated().negated() == value);
  }
}
