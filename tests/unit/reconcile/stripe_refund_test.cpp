// SPDX-License-Identifier: Apache-2.0
// The shipped profile, against answers in the form that Stripe documents.
#include <filesystem>
#include <fstream>

#include "reconcile/scan.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

Profile shipped() {
  const auto root = std::filesystem::path(__FILE__).parent_path() / "../../..";
  std::ifstream file(root / "etc/providers.d/stripe-refund.yaml");
  return samples::read(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string refund(std::string_view currency, int amount, std::string_view status) {
  return fmt::format(
      R"({{"id":"re_1","object":"refund","amount":{},"balance_transaction":"txn_1","charge":"ch_1",)"
      R"("created":1767323045,"currency":"{}","metadata":{{"operation_id":"{}"}},)"
      R"("payment_intent":null,"reason":null,"receipt_number":null,"status":"{}"}})",
      amount, currency, samples::kKey, status);
}

Finding look_up(const std::string& refunds) {
  static const auto profile = shipped();
  Scan scan(profile, samples::operation(), samples::kAsOf);
  scan.begin();
  const auto step = scan.next(HttpAnswer{
      200,
      {{"content-type", "application/json"}},
      fmt::format(R"({{"object":"list","data":[{}],"has_more":false,"url":"/v1/refunds"}})",
                  refunds)});
  return std::get<Finding>(step);
}

}  // namespace

TEST_CASE("the shipped profile asks for the charge's refunds", "[stripe]") {
  const auto profile = shipped();
  CHECK(profile.auth.kind == Auth::Kind::basic);
  Scan scan(profile, samples::operation(), samples::kAsOf);
  CHECK(std::get<HttpRequest>(scan.begin()).url ==
        "https://api.stripe.com/v1/refunds?charge=ch_1&created%5Bgte%5D=1767322745&limit=100");
}

TEST_CASE("the shipped profile reads a refund", "[stripe]") {
  const auto found = std::get<Found>(look_up(refund("usd", 25000, "succeeded")));
  REQUIRE(found.credits.size() == 1);
  CHECK(found.credits[0] ==
        Credit{"re_1", std::nullopt, *Decimal::parse("250"), "USD", CreditState::settled});
  const std::pair<const char*, const char*> amounts[] = {
      {"jpy", "25000"}, {"kwd", "25"}, {"isk", "250"}, {"ugx", "250"}};
  for (const auto& [currency, amount] : amounts)
    CHECK(std::get<Found>(look_up(refund(currency, 25000, "succeeded"))).credits[0].amount ==
          *Decimal::parse(amount));
}

TEST_CASE("the shipped profile knows each state of a refund", "[stripe]") {
  const std::pair<const char*, CreditState> states[] = {
      {"succeeded", CreditState::settled},       {"pending", CreditState::pending},
      {"requires_action", CreditState::pending}, {"failed", CreditState::failed},
      {"canceled", CreditState::failed},         {"new_word", CreditState::unrecognised}};
  for (const auto& [status, state] : states)
    CHECK(std::get<Found>(look_up(refund("usd", 1, status))).credits[0].state == state);
}

TEST_CASE("a refund without metadata is another's", "[stripe]") {
  for (const auto* metadata : {"{}", "null", "{\"operation_id\":\"op-1\"}"}) {
    const auto finding =
        look_up(fmt::format(R"({{"id":"re_1","object":"refund","metadata":{}}})", metadata));
    CHECK(word(finding) == "absent");
  }
}
