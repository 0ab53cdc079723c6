// SPDX-License-Identifier: Apache-2.0
#include "reconcile/template.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

Template parse(std::string_view text) { return std::get<Template>(Template::parse(text)); }

struct Filled {
  std::string text;
  std::optional<Unfillable> why;
};

Filled fill(std::string_view text, const Operation& operation, bool path = false,
            const ExponentOverrides& exponents = {}) {
  const auto span = spans_of({5min, 1min}, operation.created_at, samples::kAsOf, 1).front();
  TemplateValues values(operation, span, exponents);
  Filled filled;
  const auto ready = parse(text);
  filled.why = path ? append_path(ready, values, filled.text)
                    : append_query_text(ready, values, filled.text);
  return filled;
}

Operation with_context(std::string context) {
  auto operation = samples::operation();
  operation.provider_context = std::move(context);
  return operation;
}

}  // namespace

TEST_CASE("each template value is the operation's", "[template]") {
  const std::pair<const char*, const char*> cases[] = {
      {"{operation_id}", samples::kKey},
      {"{account_id}", "A-1"},
      {"{amount}", "250.00"},
      {"{amount_minor}", "25000"},
      {"{currency}", "USD"},
      {"{currency_lower}", "usd"},
      {"{created_at:epoch}", "1767323045"},
      {"{created_at:rfc3339}", "2026-01-02T03%3A04%3A05.999999Z"},
      {"{window_start:epoch}", "1767322745"},
      {"{window_start:rfc3339}", "2026-01-02T02%3A59%3A05.999999Z"},
      {"{window_end:epoch}", "1767323706"},
      {"{window_end:rfc3339}", "2026-01-02T03%3A15%3A05.500000Z"},
      {"{created_at:date}", "2026-01-02"},
      {"{window_start:date}", "2026-01-02"},
      {"{window_end:date}", "2026-01-03"},
      {"{context.charge}", "ch_1"},
      {"a{amount}b{currency}c", "a250.00bUSDc"},
      {"{amount:number}", "250.00"},
      {"", ""},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    const auto filled = fill(text, samples::operation());
    CHECK_FALSE(filled.why);
    CHECK(filled.text == expected);
  }
}

TEST_CASE("the end of a window keeps its last second, its start is rounded down", "[template]") {
  auto operation = samples::operation();
  operation.created_at = DatabaseTime{Duration{1767323045'000'001}};
  CHECK(fill("{window_start:epoch}", operation).text == "1767322745");
  TemplateValues values(operation, {{}, DatabaseTime{Duration{1767323045'000'000}}}, {});
  std::string text;
  CHECK_FALSE(append_query_text(parse("{window_end:epoch}"), values, text));
  CHECK(text == "1767323045");
}

TEST_CASE("a wrong template is refused with what is wrong", "[template]") {
  const std::pair<const char*, const char*> cases[] = {
      {"{operation}", "unknown template value {operation}"},
      {"{}", "unknown template value {}"},
      {"{context.}", "unknown template value {context.}"},
      {"{context}", "unknown template value {context}"},
      {"{ amount}", "unknown template value { amount}"},
      {"{created_at}", "{created_at} needs a format, :epoch, :rfc3339 or :date"},
      {"{window_end:}", "{window_end} needs a format, :epoch, :rfc3339 or :date"},
      {"{window_end:iso}", "{window_end} needs a format, :epoch, :rfc3339 or :date"},
      {"{amount:epoch}", "{amount} is no time: no format"},
      {"{amount:numbers}", "{amount} is no time: no format"},
      {"{account_id:number}", "{account_id} is no time: no format"},
      {"{context.at:epoch}", "{context.at} is no time: no format"},
      {"{amount", "a brace without its partner"},
      {"amount}", "a brace without its partner"},
      {"{{amount}}", "unknown template value {{amount}"},
  };
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    CHECK(std::get<std::string>(Template::parse(text)) == expected);
  }
}

TEST_CASE("a value is percent-encoded once, in a path as in a query", "[template]") {
  const std::pair<const char*, const char*> cases[] = {{"a b", "a%20b"},
                                                       {"a/b", "a%2Fb"},
                                                       {"50%", "50%25"},
                                                       {"%2F", "%252F"},
                                                       {"a&b=c", "a%26b%3Dc"},
                                                       {"a+b", "a%2Bb"},
                                                       {"[x]", "%5Bx%5D"},
                                                       {"\xC3\xBC", "%C3%BC"},
                                                       {"\xF0\x9F\x98\x80", "%F0%9F%98%80"},
                                                       {"?#", "%3F%23"},
                                                       {"a\r\nb", "a%0D%0Ab"},
                                                       {"-._~", "-._~"},
                                                       {"'\"<>", "%27%22%3C%3E"},
                                                       {";:@,", "%3B%3A%40%2C"},
                                                       {"..a", "..a"},
                                                       {"...", "..."},
                                                       {"\\", "%5C"},
                                                       {"{amount}", "%7Bamount%7D"}};
  for (const auto& [value, expected] : cases) {
    CAPTURE(value);
    auto operation = samples::operation();
    operation.account_id = value;
    CHECK(fill("{account_id}", operation).text == expected);
    CHECK(fill("/v1/{account_id}/x", operation, true).text ==
          "/v1/" + std::string(expected) + "/x");
  }
}

TEST_CASE("a path's literals stay as written, a query's are encoded", "[template]") {
  CHECK(fill("/v1/a%20b;c=1/{account_id}", samples::operation(), true).text == "/v1/a%20b;c=1/A-1");
  CHECK(fill("created[gte]", samples::operation()).text == "created%5Bgte%5D");
  CHECK(fill("metadata['k']:'{account_id}'", samples::operation()).text ==
        "metadata%5B%27k%27%5D%3A%27A-1%27");
}

TEST_CASE("a path segment that would lead elsewhere is refused", "[template]") {
  const std::pair<const char*, const char*> cases[] = {{"..", "/v1/{account_id}"},
                                                       {".", "/v1/{account_id}/x"},
                                                       {".", "/v1/.{account_id}"},
                                                       {".", "/v1/%2e{account_id}"},
                                                       {"..", "/{account_id}/x"}};
  for (const auto& [value, path] : cases) {
    CAPTURE(value, path);
    auto operation = samples::operation();
    operation.account_id = value;
    const auto filled = fill(path, operation, true);
    REQUIRE(filled.why);
    CHECK(filled.why->missing.empty());
    CHECK(filled.why->unsafe == "a value makes a path segment . or .., which is not sent");
  }
  auto operation = samples::operation();
  operation.account_id = "..";
  CHECK_FALSE(fill("/v1/x{account_id}", operation, true).why);
  CHECK_FALSE(fill("{account_id}", operation).why);
}

TEST_CASE("a context value is a string, number or boolean at the top", "[template]") {
  const std::pair<const char*, const char*> cases[] = {{R"({"x":"a b"})", "a%20b"},
                                                       {R"({"x":12.50})", "12.50"},
                                                       {R"({"x":true})", "true"},
                                                       {R"({"y":1,"x":"\u00fc"})", "%C3%BC"}};
  for (const auto& [context, expected] : cases) {
    CAPTURE(context);
    CHECK(fill("{context.x}", with_context(context)).text == expected);
  }
}

TEST_CASE("a missing value is named, and an empty one is missing", "[template]") {
  for (const auto* context : {"", "null", "{}", "[]", "7", "{\"x\":null}", "{\"x\":{}}",
                              "{\"x\":[]}", "{\"x\":\"\"}", "{\"y\":{\"x\":1}}", "{\"x\":1"}) {
    CAPTURE(context);
    const auto filled = fill("{context.x}", with_context(context));
    REQUIRE(filled.why);
    CHECK(filled.why->missing == "context.x");
  }
  auto operation = samples::operation();
  operation.amount = std::nullopt;
  CHECK(fill("{amount}", operation).why->missing == "amount");
  CHECK(fill("{amount_minor}", operation).why->missing == "amount_minor");
  operation.account_id = "";
  CHECK(fill("/v1/{account_id}/x", operation, true).why->missing == "account_id");
}

TEST_CASE("a minor amount follows the currency and the profile's exponents", "[template]") {
  CHECK(fill("{amount_minor}", samples::operation("500", "JPY")).text == "500");
  CHECK(fill("{amount_minor}", samples::operation("1.234", "KWD")).text == "1234");
  CHECK(fill("{amount_minor}", samples::operation("5", "UGX"), false, {{"UGX", 2}}).text == "500");
  CHECK(fill("{amount_minor}", samples::operation("5.50", "JPY")).why->missing == "amount_minor");
  CHECK(fill("{amount_minor}", samples::operation("5", "ABC")).why->missing == "amount_minor");
}

TEST_CASE("a major amount has its currency's decimals, however the service wrote it",
          "[template]") {
  CHECK(fill("{amount}", samples::operation("250.10")).text == "250.10");
  CHECK(fill("{amount}", samples::operation("250.1")).text == "250.10");
  CHECK(fill("{amount}", samples::operation("250.1000")).text == "250.10");
  CHECK(fill("{amount}", samples::operation("0.5", "usd")).text == "0.50");
  CHECK(fill("{amount}", samples::operation("500.00", "JPY")).text == "500");
  CHECK(fill("{amount}", samples::operation("1.5", "KWD")).text == "1.500");
  CHECK(fill("{amount}", samples::operation("5", "UGX"), false, {{"UGX", 2}}).text == "5.00");
  // Never another amount, and for a currency that nobody knows as few decimals as can be.
  CHECK(fill("{amount}", samples::operation("0.125")).text == "0.125");
  CHECK(fill("{amount}", samples::operation("7.50", "ABC")).text == "7.5");
}

TEST_CASE("a path is checked before it is ever used", "[template]") {
  for (const auto* path : {"/", "/v1/x/", "/v1/{account_id}", "/a%2Fb", "/a;b=c:d@e,f"}) {
    CAPTURE(path);
    CHECK(fault_of_path(parse(path)).empty());
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"v1/x", "a path starts with /"},
      {"{account_id}/x", "a path starts with /"},
      {"/a?b=c", "a path ends before ? and #; put parameters under query"},
      {"/a#b", "a path ends before ? and #; put parameters under query"},
      {"/a b", "a character that must be percent-encoded in a path"},
      {"/\xC3\xBC", "a character that must be percent-encoded in a path"},
      {"/a[b]", "a character that must be percent-encoded in a path"},
      {"/a\r\nb", "a character that must be percent-encoded in a path"},
      {"/a%2", "a % that two hexadecimal digits do not follow"},
      {"/a%zz", "a % that two hexadecimal digits do not follow"},
      {"/a/../b", "a path segment . or .. leads elsewhere"},
      {"/a/.", "a path segment . or .. leads elsewhere"},
      {"/a/%2E%2e/b", "a path segment . or .. leads elsewhere"},
      {"//a", "an empty path segment"},
      {"/a//b", "an empty path segment"}};
  for (const auto& [path, expected] : wrong) {
    CAPTURE(path);
    CHECK(fault_of_path(parse(path)) == expected);
  }
}

TEST_CASE("a window is asked for in parts that the span allows, which overlap", "[template]") {
  const DatabaseTime start{1000s};
  const auto parts = [&](Duration length, std::size_t at_most = 100) {
    return spans_of({0s, 0s, 100s}, start, start + length, at_most);
  };
  using Spans = std::vector<TimeSpan>;
  CHECK(parts(50s) == Spans{{start, start + 50s}});
  CHECK(parts(99s) == Spans{{start, start + 99s}});
  CHECK(parts(100s) == Spans{{start, start + 99s}, {start + 98s, start + 100s}});
  CHECK(parts(250s) ==
        Spans{{start, start + 99s}, {start + 98s, start + 197s}, {start + 196s, start + 250s}});
  CHECK(parts(250s, 2).size() == 2);
  CHECK(parts(0s) == Spans{{start, start}});
  CHECK(spans_of({10s, 5s}, start, start + 900s, 100) == Spans{{start - 10s, start + 905s}});
  for (const auto& part : parts(1000s)) {
    // What is sent may be rounded outwards on both sides, and must still fit.
    CHECK(part.end - part.start + 1s <= 100s);
  }
}
