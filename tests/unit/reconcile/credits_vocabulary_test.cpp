// SPDX-License-Identifier: Apache-2.0
// Rules that read more than a flat row: what is around it, another name of the account, decimals of
// its own, states without a word for them.
#include "reconcile/credits.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

constexpr char kAmount[] = "{at: /amount, type: decimal, unit: major, sign: positive}";
constexpr char kState[] =
    "{at: /status, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}";

Profile profile(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::string text = samples::kProfile;
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return samples::read(text);
}

/// "N credits", "why", and of one credit "reference account amount currency state".
std::string read(const Profile& by, const std::string& text,
                 const std::string& context = R"({"wallet":"w_1"})") {
  auto operation = samples::operation();
  operation.provider_context = context;
  TemplateValues values(operation, {}, {});
  std::optional<CreditRules> filled;
  if (const auto missing = fill(by.credits, values, filled)) return "missing " + missing->missing;
  const auto document = json::read(text);
  REQUIRE(document.document);
  const auto result = read_rows(filled ? *filled : by.credits, document.document->root(),
                                {samples::kKey, "USD", "A-1"});
  if (!result.why.empty()) return result.why;
  if (result.credits.size() != 1) return std::to_string(result.credits.size()) + " credits";
  const auto& credit = result.credits.front();
  constexpr const char* kStates[] = {"settled", "pending", "failed", "reversed", "unrecognised"};
  return fmt::format("{} {} {} {} {}", credit.reference, credit.account.value_or("-"),
                     credit.amount.to_string(), credit.currency.value_or("-"),
                     kStates[static_cast<std::size_t>(credit.state)]);
}

std::string row(const std::string& more, const std::string& account = "A-1") {
  return fmt::format(R"({{"data":[{{"id":"cr_1","key":"{}","account":"{}","amount":"250.00",)"
                     R"("currency":"USD","status":"posted"{}}}]}})",
                     samples::kKey, account, more);
}

}  // namespace

TEST_CASE("an account may have another name at the provider", "[credits]") {
  const auto by = profile({{"{at: /account}", "{at: /account, equals: \"{context.wallet}\"}"}});
  CHECK(read(by, row("", "w_1")) == "cr_1 A-1 250 USD settled");
  CHECK(read(by, row("", "w_2")) == "cr_1 w_2 instead of w_1 250 USD settled");
  // Another account's name may well look like ours: it is not taken for it.
  CHECK(read(by, row("", "A-1")) == "cr_1 A-1 instead of w_1 250 USD settled");
  CHECK(read(by, row("", "w_1"), "{}") == "missing context.wallet");
  const auto shared = profile({{"{at: /account}", "{at: /account, equals: \"x-{account_id}\"}"}});
  CHECK(read(shared, row("", "x-A-1")) == "cr_1 A-1 250 USD settled");
}

TEST_CASE("an identifier may be the tail of a URL", "[credits]") {
  const auto by = profile({{"{at: /account}", "{at: /account, tail: true}"},
                           {"reference: {at: /id}", "reference: {at: /self, tail: true}"}});
  const auto with = [&](const char* account) {
    return read(by, row(R"(,"self":"https://x/transfers/tr_9?a=b")", account));
  };
  CHECK(with("https://x/accounts/A-1") == "tr_9 A-1 250 USD settled");
  CHECK(with("https://x/accounts/A-1/?x#y") == "tr_9 A-1 250 USD settled");
  CHECK(with("A-1") == "tr_9 A-1 250 USD settled");
  CHECK(with("https://x/A-1/accounts") == "tr_9 accounts 250 USD settled");
  CHECK(with("https://x//") == "a credit with our key has an empty identifier at \"/account\"");
}

TEST_CASE("rows inside rows are read with what is around them", "[credits]") {
  const auto by = profile({{"at: /data", "at: /*/entries/*"},
                           {"{at: /key}", "{at: ^/key}\n  where: [{at: /side, equals: credit}]"},
                           {"reference: {at: /id}", "reference: {at: ^/id}"},
                           {"{at: /status,", "{at: ^/status,"}});
  const auto transaction = [](const char* id, const char* key, const std::string& entries) {
    return fmt::format(R"({{"id":"{}","key":"{}","status":"posted","entries":[{}]}})", id, key,
                       entries);
  };
  const std::string debit = R"({"side":"debit","account":"B","amount":"250","currency":"USD"})";
  const std::string credit = R"({"side":"credit","account":"A-1","amount":"250","currency":"USD"})";
  const auto ours = transaction("tx_1", samples::kKey, debit + "," + credit);
  CHECK(read(by, "[" + ours + "]") == "tx_1 A-1 250 USD settled");
  CHECK(read(by, "[" + transaction("tx_0", "other", debit + "," + credit) + "," + ours + "]") ==
        "tx_1 A-1 250 USD settled");
  CHECK(read(by, "[" + transaction("tx_1", samples::kKey, "") + "]") ==
        "an element whose \"/entries\" lists nothing");
  CHECK(read(by, "[]") == "0 credits");
}

TEST_CASE("a row may give the decimals of its minor unit itself", "[credits]") {
  const auto by =
      profile({{kAmount, "{at: /n, type: integer, unit: minor, exponent_at: /decimals}"}});
  const auto with = [&](const std::string& decimals) {
    return read(by, row(R"(,"n":25000,"decimals":)" + decimals));
  };
  CHECK(with("2") == "cr_1 A-1 250 USD settled");
  CHECK(with("\"2\"") == "cr_1 A-1 250 USD settled");
  CHECK(with("0") == "cr_1 A-1 25000 USD settled");
  CHECK(with("30") == "cr_1 A-1 0.000000000000000000000000025 USD settled");
  for (const auto* wrong : {"31", "-1", "2.0", "null", "\"\"", "[]"}) {
    CAPTURE(wrong);
    CHECK(with(wrong) ==
          "a credit with our key has no number of decimals from 0 to 30 at \"/decimals\"");
  }
}

TEST_CASE("a state may be the presence of a time, or a word elsewhere", "[credits]") {
  const auto by = profile({{kState,
                            "{settled_if_present: /posted_at, reversed_if_present: /voided_at,"
                            " reversed_if: [{at: /kind, equals: void}, {at: /wallet, equals: "
                            "\"{context.wallet}\"}]}"}});
  const auto state = [&](const std::string& more) {
    const auto text = read(by, row(more));
    return text.substr(text.rfind(' ') + 1);
  };
  CHECK(state(R"(,"posted_at":"2026-01-02")") == "settled");
  CHECK(state(R"(,"posted_at":null)") == "pending");
  CHECK(state("") == "pending");
  CHECK(state(R"(,"posted_at":"2026-01-02","voided_at":1)") == "reversed");
  CHECK(state(R"(,"posted_at":"2026-01-02","voided_at":null)") == "settled");
  CHECK(state(R"(,"posted_at":"2026-01-02","kind":"void")") == "reversed");
  CHECK(state(R"(,"posted_at":"2026-01-02","wallet":"w_1")") == "reversed");
  CHECK(state(R"(,"posted_at":"2026-01-02","wallet":"w_2")") == "settled");
}
