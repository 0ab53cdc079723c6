// SPDX-License-Identifier: Apache-2.0
#include "reconcile/money.hpp"

#include <random>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

Decimal number(std::string_view text) { return Decimal::parse(text).value(); }

}  // namespace

TEST_CASE("currencies have the decimals of ISO 4217", "[money]") {
  const std::pair<const char*, int> cases[] = {
      {"USD", 2}, {"usd", 2}, {"Eur", 2}, {"JPY", 0}, {"KRW", 0}, {"ISK", 0}, {"UGX", 0},
      {"HUF", 2}, {"TWD", 2}, {"KWD", 3}, {"bhd", 3}, {"TND", 3}, {"OMR", 3}, {"JOD", 3},
      {"CLF", 4}, {"UYW", 4}, {"CLP", 0}, {"XAF", 0}, {"AED", 2}, {"ZWL", 2}, {"BIF", 0}};
  for (const auto& [code, expected] : cases) {
    CAPTURE(code);
    CHECK(minor_exponent(code, {}) == expected);
  }
}

TEST_CASE("an unknown code has no minor unit", "[money]") {
  for (const auto* code : {"", "US", "USDX", "XAU", "XXX", "ABC", "U D", " US", "D A", "credits"}) {
    CAPTURE(code);
    CHECK_FALSE(minor_exponent(code, {}));
  }
}

TEST_CASE("a profile's decimals come before those of ISO 4217", "[money]") {
  const ExponentOverrides overrides = {{"UGX", 2}, {"POINTS", 1}};
  CHECK(minor_exponent("ugx", overrides) == 2);
  CHECK(minor_exponent("points", overrides) == 1);
  CHECK(minor_exponent("JPY", overrides) == 0);
}

TEST_CASE("an amount with more decimals than its currency has no minor form", "[money]") {
  CHECK(major_to_minor(number("5.50"), 0) == std::nullopt);
  CHECK(major_to_minor(number("0.001"), 2) == std::nullopt);
  CHECK(major_to_minor(number("5.00"), 0) == number("5"));
  CHECK(minor_to_major(number("1234"), 3) == number("1.234"));
}

TEST_CASE("minor to major and back is the same amount, for any amount and exponent", "[money]") {
  std::mt19937_64 random(20260102);
  for (int round = 0; round < 2000; ++round) {
    const int exponent = static_cast<int>(random() % 9);
    std::string digits = std::to_string(random() % 9 + 1);
    for (auto more = random() % 40; more > 0; --more) digits += std::to_string(random() % 10);
    const auto minor = number((random() % 2 == 0 ? "-" : "") + digits);
    CAPTURE(minor.to_string(), exponent);
    const auto major = minor_to_major(minor, exponent);
    REQUIRE(major_to_minor(major, exponent) == minor);
    REQUIRE(number(major.to_string()) == major);
    // One digit more than the currency has: there is no such minor amount.
    REQUIRE(major_to_minor(number(digits + "1").scaled(-exponent - 1), exponent) == std::nullopt);
  }
}

TEST_CASE("case folds without the locale's help", "[money]") {
  CHECK(upper_case("iIzZ-\xC3\xA9") == "IIZZ-\xC3\xA9");
  CHECK(lower_case("iIzZ-\xC3\x89") == "iizz-\xC3\x89");
}
