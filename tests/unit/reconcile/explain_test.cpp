// SPDX-License-Identifier: Apache-2.0
#include "reconcile/explain.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

std::string row(const std::string& key, const std::string& amount = "250.00",
                const std::string& account = "A-1", const std::string& status = "posted") {
  return fmt::format(R"({{"id":"cr_1","key":"{}","account":"{}","amount":"{}","currency":"usd",)"
                     R"("status":"{}","type":"credit"}})",
                     key, account, amount, status);
}

std::string explain(const Profile& profile, const std::string& text) {
  const auto document = json::read(text);
  REQUIRE(document.document);
  return explain_rows(profile.credits, document.document->root(), samples::operation());
}

}  // namespace

TEST_CASE("a person sees which rows are ours and what of them fits", "[explain]") {
  const auto profile = samples::profile(
      "key: {at: /key}", "key: {at: /key}\n  where: [{at: /type, in: [credit, grant]}]");
  const auto text =
      explain(profile, "{\"data\":[" + row("other") + "," + row(samples::kKey) + "]}");
  CHECK(text ==
        "  2 rows at \"/data\"\n"
        "  row 1\n"
        "    key        another's at \"/key\"\n"
        "    where      \"/type\" \"credit\" or \"grant\": yes\n"
        "  row 2\n"
        "    key        ours at \"/key\"\n"
        "    where      \"/type\" \"credit\" or \"grant\": yes\n"
        "    reference  \"cr_1\"\n"
        "    account    \"A-1\" fits\n"
        "    currency   \"USD\" fits\n"
        "    amount     \"250\" fits\n"
        "    state      settled\n");
}

TEST_CASE("a person sees what does not fit, and what cannot be read", "[explain]") {
  const auto profile = samples::profile();
  const auto wrong = explain(profile, "{\"data\":[" + row(samples::kKey, "1,0", "B", "new") + "]}");
  CHECK_THAT(wrong, contains_text("account    \"B\" does not fit \"A-1\""));
  CHECK_THAT(wrong,
             contains_text("amount     unreadable: an amount that is no plain decimal number"));
  CHECK_THAT(wrong, contains_text("state      not listed in the profile"));
  CHECK(explain(profile, "{}") == "  no rows: nothing at \"/data\"\n");
  CHECK_THAT(explain(profile, "{\"data\":[{}]}"), contains_text("key        none at \"/key\""));
  const auto hidden = samples::profile("currency: {at: /currency}", "currency: {from: operation}");
  CHECK_THAT(explain(hidden, "{\"data\":[" + row(samples::kKey) + "]}"),
             contains_text("currency   not in the answer: unproven"));
}

TEST_CASE("of a long answer all of our rows are shown, and others only counted", "[explain]") {
  std::string rows;
  for (int i = 0; i < 30; ++i) rows += row("other") + ",";
  const auto text = explain(samples::profile(), "{\"data\":[" + rows + row(samples::kKey) + "]}");
  CHECK_THAT(text, contains_text("  row 31\n    key        ours"));
  CHECK_THAT(text, contains_text("  and 10 rows of others\n"));
}
