// SPDX-License-Identifier: Apache-2.0
#include "reconcile/credits.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

constexpr char kAmount[] = "{at: /amount, type: decimal, unit: major, sign: positive}";
constexpr char kState[] =
    "{at: /status, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}";

/// A row for the operation, one of its members replaced; a row without it for an empty value.
std::string row(std::string_view member = "", std::string_view value = "") {
  const std::pair<std::string_view, std::string> members[] = {
      {"id", "\"cr_1\""},      {"key", fmt::format("\"{}\"", samples::kKey)},
      {"account", "\"A-1\""},  {"amount", "\"250.00\""},
      {"currency", "\"USD\""}, {"status", "\"posted\""}};
  std::string text = "{";
  for (const auto& [name, standard] : members) {
    const auto& used = name == member ? std::string(value) : standard;
    if (used.empty()) continue;
    if (text.size() > 1) text += ",";
    text += fmt::format("\"{}\":{}", name, used);
  }
  return text + "}";
}

/// What is kept of a page that is read here: `last` would point into it.
RowsRead read(const Profile& profile, const std::string& rows, std::string currency = "USD") {
  const auto text = "{\"data\":" + rows + "}";
  const auto document = json::read(text);
  REQUIRE(document.document);
  auto result = read_rows(profile.credits, document.document->root(),
                          Sought{samples::kKey, std::move(currency), "A-1"});
  result.last = nullptr;
  return result;
}

Credit only(const Profile& profile, const std::string& one_row, std::string currency = "USD") {
  auto result = read(profile, "[" + one_row + "]", std::move(currency));
  CAPTURE(one_row, result.why);
  REQUIRE(result.why.empty());
  REQUIRE(result.credits.size() == 1);
  return result.credits.front();
}

std::string why(const Profile& profile, const std::string& one_row, std::string currency = "USD") {
  const auto result = read(profile, "[" + one_row + "]", std::move(currency));
  CHECK(result.credits.empty());
  return result.why;
}

/// The amount that the sample reads from this JSON value, or why not.
std::string amount(const Profile& profile, std::string_view value, std::string currency = "USD") {
  const auto result = read(profile, "[" + row("amount", value) + "]", std::move(currency));
  return result.credits.empty() ? result.why : result.credits.front().amount.to_string();
}

}  // namespace

TEST_CASE("a credit is read in full", "[credits]") {
  const auto credit = only(samples::profile(), row());
  CHECK(credit == Credit{"cr_1", "A-1", *Decimal::parse("250"), "USD", CreditState::settled});
}

TEST_CASE("B09: a row that shows no key of ours is another's, in any shape", "[credits]") {
  const auto map = samples::profile("key: {at: /key}", "key: {at: /metadata/operation_id}");
  const auto pairs =
      samples::profile("key: {at: /key}",
                       "key: {pairs_at: /metadata, name: key, value: value, equals: operation_id}");
  const char* carriers[] = {"[]",
                            "null",
                            "\"\"",
                            "{}",
                            "7",
                            "true",
                            "[null]",
                            "[[]]",
                            "[7]",
                            "{\"operation_id\":null}",
                            "{\"operation_id\":7}",
                            "{\"operation_id\":[]}",
                            "{\"operation_id\":\"\"}",
                            "{\"operation_id\":\"other\"}",
                            "[{\"key\":\"operation_id\"}]",
                            "[{\"key\":\"operation_id\",\"value\":null}]",
                            "[{\"key\":7,\"value\":\"x\"}]",
                            "[{\"key\":\"other\",\"value\":\"x\"}]"};
  std::string others = "null,7,\"x\",[],{}";
  for (const auto* carrier : carriers)
    others += fmt::format(",{{\"id\":\"cr_0\",\"metadata\":{}}}", carrier);
  const auto ours_in = [](std::string_view carrier) {
    auto text = row("key", "");
    text.insert(1, fmt::format("\"metadata\":{},", carrier));
    return text;
  };
  const auto in_map = ours_in(fmt::format("{{\"operation_id\":\"{}\"}}", samples::kKey));
  const auto in_pairs = ours_in(fmt::format(
      "[null,{{\"key\":\"a\",\"value\":\"b\"}},{{\"key\":\"operation_id\",\"value\":\"{}\"}}]",
      samples::kKey));
  for (const auto& [profile, ours] : {std::pair(&map, in_map), std::pair(&pairs, in_pairs)}) {
    const auto without = read(*profile, "[" + others + "]");
    CHECK(without.why.empty());
    CHECK(without.credits.empty());
    const auto with = read(*profile, "[" + others + "," + ours + "]");
    CHECK(with.why.empty());
    CHECK(with.credits.size() == 1);
    CHECK(with.rows == without.rows + 1);
  }
}

TEST_CASE("the key is compared byte for byte, or folded where the profile says so", "[credits]") {
  const auto upper = row("key", fmt::format("\"{}\"", upper_case(samples::kKey)));
  CHECK(read(samples::profile(), "[" + upper + "]").credits.empty());
  const auto fold = samples::profile("key: {at: /key}", "key: {at: /key, case: fold}");
  CHECK(read(fold, "[" + upper + "]").credits.size() == 1);
  for (const auto* extra : {" ", "x", "\\u0000"}) {
    const auto longer = row("key", fmt::format("\"{}{}\"", samples::kKey, extra));
    CHECK(read(fold, "[" + longer + "]").credits.empty());
  }
}

TEST_CASE("a broken row of another key harms nothing, one of ours is unintelligible", "[credits]") {
  const auto profile = samples::profile();
  const std::pair<const char*, const char*> broken[] = {
      {"id", ""},         {"id", "null"},     {"id", "{}"},         {"id", "\"\""},
      {"id", "true"},     {"account", ""},    {"account", "[]"},    {"account", "null"},
      {"amount", ""},     {"amount", "null"}, {"amount", "{}"},     {"amount", "true"},
      {"currency", ""},   {"currency", "7"},  {"currency", "\"\""}, {"status", ""},
      {"status", "null"}, {"status", "[]"}};
  for (const auto& [member, value] : broken) {
    CAPTURE(member, value);
    CHECK(why(profile, row(member, value)).find("a credit with our key has ") == 0);
    auto other = row(member, value);
    other.replace(other.find(samples::kKey), 36, "another");
    const auto beside = read(profile, "[" + other + "," + row() + "]");
    CHECK(beside.why.empty());
    CHECK(beside.credits.size() == 1);
  }
}

TEST_CASE("readable credits stay beside an unreadable one", "[credits]") {
  const auto result =
      read(samples::profile(), "[" + row() + "," + row("amount", "{}") + "," + row() + "]");
  CHECK(result.credits.size() == 2);
  CHECK(result.why == "a credit with our key has an object instead of an amount at \"/amount\"");
}

TEST_CASE("B06: separators, words and blanks are no amount", "[credits]") {
  const auto profile = samples::profile();
  for (const auto* value :
       {"\"1,000.00\"", "\"1,234.56\"", "\"1.234,56\"", "\"1 234.56\"", "\"USD 1234.56\"",
        "\"1234.56 \"", "\" 1\"",       "\"\"",         "\"+1\"",       "\".5\"",
        "\"5.\"",       "\"NaN\"",      "\"Infinity\"", "\"0x10\"",     "\"1_000\"",
        "\"$5\"",       "\"1e401\"",    "1e401",        "1e999999999",  "0.25e1000000",
        "\"01\"",       "\"--1\""}) {
    CAPTURE(value);
    CHECK(amount(profile, value) ==
          "a credit with our key has an amount that is no plain decimal number at \"/amount\"");
  }
  CHECK(amount(profile, "\"1234.560\"") == "1234.56");
}

TEST_CASE("B07: exponents are exact", "[credits]") {
  const auto profile = samples::profile();
  for (const auto* value : {"250.00", "2.5e2", "25000e-2", "2.5E+0002", "\"250.00\"", "\"2.5e2\""})
    CHECK(amount(profile, value) == "250");
  CHECK(amount(profile, "250.00000000000000000001") == "250.00000000000000000001");
  CHECK(amount(profile, "-250") == "-250");
  CHECK(amount(profile, "1e400") == "1" + std::string(400, '0'));
}

TEST_CASE("an integer amount may be written in any way that is one", "[credits]") {
  const auto profile = samples::profile("type: decimal", "type: integer");
  for (const auto* value : {"250", "2.5e2", "250.0", "\"250\"", "25000e-2"}) {
    CAPTURE(value);
    CHECK(amount(profile, value) == "250");
  }
  for (const auto* value : {"250.5", "\"250.5\"", "25e-1"}) {
    CAPTURE(value);
    CHECK(amount(profile, value) ==
          "a credit with our key has a fraction where the profile says integer at \"/amount\"");
  }
}

TEST_CASE("B08: minor units follow the currency, and the profile before ISO 4217", "[credits]") {
  const auto minor = samples::profile(kAmount, "{at: /amount, type: integer, unit: minor}");
  const auto overridden =
      samples::profile(kAmount, "{at: /amount, type: integer, unit: minor, exponents: {UGX: 2}}");
  const auto in = [&](const Profile& profile, const char* value, const char* currency) {
    auto text = row("amount", value);
    text.replace(text.find("USD"), 3, currency);
    const auto result = read(profile, "[" + text + "]");
    return result.credits.empty() ? result.why : result.credits.front().amount.to_string();
  };
  CHECK(in(minor, "500", "ugx") == "500");
  CHECK(in(overridden, "500", "ugx") == "5");
  CHECK(in(minor, "500", "JPY") == "500");
  CHECK(in(minor, "1234", "KWD") == "1.234");
  CHECK(in(minor, "25000", "usd") == "250");
  CHECK(in(minor, "550", "ABC") ==
        "a credit with our key has a currency whose minor unit is not known");
}

TEST_CASE("minor units take the operation's currency where the answer shows none", "[credits]") {
  auto text = samples::profile_text(kAmount, "{at: /amount, type: integer, unit: minor}");
  text.replace(text.find("{at: /currency}"), 15, "{from: operation}");
  const auto profile = samples::read(text);
  const auto credit = only(profile, row("amount", "1234"), "KWD");
  CHECK(credit.amount == *Decimal::parse("1.234"));
  CHECK_FALSE(credit.currency);
  CHECK_FALSE(why(profile, row("amount", "1234"), "ABC").empty());
}

TEST_CASE("the sign is the profile's to say", "[credits]") {
  const auto negative = samples::profile("sign: positive", "sign: negative");
  CHECK(amount(negative, "-250") == "250");
  CHECK(amount(negative, "250") == "-250");
  const auto by =
      samples::profile("sign: positive", "sign: {by: /status, credit: [posted, pending]}");
  CHECK(only(by, row()).amount == *Decimal::parse("250"));
  CHECK(only(by, row("status", "\"failed\"")).amount == *Decimal::parse("-250"));
  const auto missing = samples::profile("sign: positive", "sign: {by: /direction, credit: [in]}");
  CHECK(why(missing, row()) ==
        "a credit with our key has no word for the amount's direction at \"/direction\"");
}

TEST_CASE("a reference is short and printable", "[credits]") {
  const auto profile = samples::profile();
  CHECK(only(profile, row("id", "\"r\xC3\xA9\xE2\x82\xAC\"")).reference == "r\xC3\xA9\xE2\x82\xAC");
  CHECK(only(profile, row("id", "12345678901234567890")).reference == "12345678901234567890");
  CHECK(only(profile, row("id", "\"" + std::string(255, 'a') + "\"")).reference.size() == 255);
  const std::string wrong[] = {"\"" + std::string(256, 'a') + "\"",
                               "\"a\\nb\"",
                               "\"\\u0000\"",
                               "\"a\\u001b[31m\"",
                               "\"\\u007f\"",
                               "\"a\\u0085\"",
                               "\"\\u009f\"",
                               "\"\"",
                               "null",
                               "[]",
                               "false"};
  for (const auto& value : wrong) {
    CAPTURE(value);
    CHECK(why(profile, row("id", value)).find("at \"/id\"") != std::string::npos);
  }
  CHECK(only(profile, row("id", "\"a\\u00a0b\"")).reference ==
        "a\xC2\xA0"
        "b");
}

TEST_CASE("states are the profile's lists, anything else is unrecognised", "[credits]") {
  const auto profile = samples::profile();
  const std::pair<const char*, CreditState> cases[] = {
      {"\"posted\"", CreditState::settled},      {"\"pending\"", CreditState::pending},
      {"\"failed\"", CreditState::failed},       {"\"reversed\"", CreditState::reversed},
      {"\"Posted\"", CreditState::unrecognised}, {"\"\"", CreditState::unrecognised},
      {"true", CreditState::unrecognised}};
  for (const auto& [value, state] : cases) {
    CAPTURE(value);
    CHECK(only(profile, row("status", value)).state == state);
  }
  const auto always = samples::profile(kState, "{always: settled, reversed_if_present: /status}");
  CHECK(only(always, row("status", "null")).state == CreditState::settled);
  CHECK(only(always, row("status", "")).state == CreditState::settled);
  CHECK(only(always, row("status", "\"2026-01-01\"")).state == CreditState::reversed);
  const auto flag = samples::profile(kState, "{at: /status, settled: [\"true\"]}");
  CHECK(only(flag, row("status", "true")).state == CreditState::settled);
}

TEST_CASE("where narrows a mixed list", "[credits]") {
  const auto profile = samples::profile(
      "key: {at: /key}",
      "key: {at: /key}\n  where: [{at: /status, in: [posted, \"7\"]}, {at: /voided, absent: true},"
      " {at: /currency, equals: USD}]");
  CHECK(read(profile, "[" + row() + "]").credits.size() == 1);
  for (const auto& other : {row("status", "\"pending\""), row("status", ""), row("status", "null"),
                            row("currency", "\"EUR\""), row("currency", "[\"USD\"]")}) {
    CAPTURE(other);
    const auto result = read(profile, "[" + other + "]");
    CHECK(result.credits.empty());
    CHECK(result.why.empty());
  }
  CHECK(read(profile, "[{\"voided\":null," + row().substr(1) + "]").credits.size() == 1);
  CHECK(read(profile, "[{\"voided\":false," + row().substr(1) + "]").credits.empty());
  CHECK(read(profile, "[" + row("status", "7") + "]").credits.empty() == false);
}

TEST_CASE("one object is the only row, and must show a key", "[credits]") {
  const auto profile = samples::profile();
  CHECK(read(profile, row()).credits.size() == 1);
  CHECK(read(profile, row("key", "\"another\"")).why.empty());
  CHECK(read(profile, row("key", "")).why == "one object that shows no key");
  CHECK(read(profile, "{\"error\":{}}").why == "one object that shows no key");
}

TEST_CASE("what the profile does not take from the answer is not there", "[credits]") {
  auto text = samples::profile_text("{at: /account}", "not_in_answer");
  text.replace(text.find("{operation_id}"), 14, "{account_id}");
  CHECK_FALSE(only(samples::read(text), row("account", "")).account);
  const auto constant = samples::profile("{at: /currency}", "{constant: eur}");
  CHECK(only(constant, row("currency", "")).currency == "EUR");
  CHECK(only(samples::profile(), row("account", "42")).account == "42");
  CHECK(only(samples::profile(), row("currency", "\"usd\"")).currency == "USD");
}
