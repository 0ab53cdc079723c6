// SPDX-License-Identifier: Apache-2.0
// The profile's `create`: what is read, and what a profile may not ask for (design §6).
#include "reconcile/profile_reader.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

constexpr char kCreate[] = R"(create:
  method: POST
  path: /v1/accounts/{account_id}/credits
  headers: {Idempotency-Key: "{operation_id}"}
  body: {account: "{account_id}", amount: "{amount}", notify: false}
  success: [200, 201]
  refused: [400, 422]
  credit_at: /credit
)";

std::string with_create(std::string_view from = "", std::string_view to = "") {
  std::string create = kCreate;
  if (!from.empty()) {
    const auto at = create.find(from);
    REQUIRE(at != std::string::npos);
    create.replace(at, from.size(), to);
  }
  return std::string(samples::kProfile) + "  not_processed: [{status: 503, with_header: A}]\n" +
         create;
}

std::vector<yaml::Fault> faults(const std::string& text) {
  auto result = read_profile(text);
  if (auto* found = std::get_if<std::vector<yaml::Fault>>(&result)) return std::move(*found);
  return {};
}

}  // namespace

TEST_CASE("a create is read with all that it says", "[profile]") {
  const auto profile = std::get<Profile>(read_profile(with_create()));
  REQUIRE(profile.create);
  const auto& create = *profile.create;
  REQUIRE(create.headers.size() == 1);
  CHECK(create.headers[0].name == "Idempotency-Key");
  CHECK(create.body->members.size() == 3);
  CHECK(create.form.empty());
  CHECK(create.success == std::vector<int>{200, 201});
  CHECK(create.refused == std::vector<int>{400, 422});
  CHECK(create.credit_at.text() == "/credit");
  CHECK_FALSE(std::get<Profile>(read_profile(samples::kProfile)).create);
}

TEST_CASE("refused and credit_at may be left out, and a form stands for a body", "[profile]") {
  const auto bare = std::get<Profile>(
      read_profile(with_create("  refused: [400, 422]\n  credit_at: /credit\n", "")));
  CHECK(bare.create->refused.empty());
  CHECK(bare.create->credit_at.text().empty());
  const auto form = std::get<Profile>(read_profile(
      with_create("body: {account: \"{account_id}\", amount: \"{amount}\", notify: false}",
                  "form: {\"metadata[id]\": \"{operation_id}\", n: \"{amount_minor}\"}")));
  CHECK_FALSE(form.create->body);
  CHECK(form.create->form.size() == 2);
}

TEST_CASE("a create that could send something else than the operation is a fault", "[profile]") {
  struct Case {
    const char* from;
    const char* to;
    const char* key;
  };
  constexpr char kSuccess[] = "success: [200, 201]";
  constexpr char kRefused[] = "refused: [400, 422]";
  constexpr char kNoSuccess[] = " is no status from 200 to 299, or comes twice";
  constexpr char kNoRefusal[] = " is no status that can mean a refusal for good, or comes twice";
  const auto word = [](const char* status, const char* what) {
    return yaml::quoted(status) + what;
  };
  const std::vector<std::pair<Case, std::string>> cases = {
      {{"POST", "PUT", "create.method"}, "\"PUT\" is none of POST; did you mean POST?"},
      {{"  path: /v1/accounts/{account_id}/credits\n", "", "create.path"}, "is missing"},
      {{"/v1/accounts", "v1/accounts", "create.path"}, "a path starts with /"},
      {{"\"{operation_id}\"", "\"{account_id}\"", "create"},
       "sends {operation_id}, the key, in no header, body or form"},
      {{"\"{operation_id}\"", "\"{operation}\"", "create.headers.Idempotency-Key"}, ""},
      {{"Idempotency-Key:", "Authorization:", "create.headers.Authorization"}, ""},
      {{"\"{amount}\"", "\"1.00\"", "create"},
       "sends neither {amount} nor {amount_minor} in its body or form"},
      {{"notify: false", "at: \"{window_end:epoch}\"", "create"},
       "uses window_start or window_end, which differ from attempt to attempt"},
      {{"  body:", "  form: {a: \"{amount}\"}\n  body:", "create"}, "needs one of body and form"},
      {{"  success: [200, 201]\n", "", "create.success"}, "is missing"},
      {{kSuccess, "success: []", "create.success"}, "lists nothing"},
      {{kSuccess, "success: [200, 302]", "create.success"}, word("302", kNoSuccess)},
      {{kSuccess, "success: [200, 200]", "create.success"}, word("200", kNoSuccess)},
      {{kRefused, "refused: [409]", "create.refused"}, word("409", kNoRefusal)},
      {{kRefused, "refused: [500]", "create.refused"}, word("500", kNoRefusal)},
      {{kRefused, "refused: [401]", "create.refused"}, word("401", kNoRefusal)},
      {{"credit_at: /credit", "credit_at: credit", "create.credit_at"}, ""},
      {{"credit_at: /credit", "credit: /credit", "create.credit"}, ""},
  };
  for (const auto& [one, what] : cases) {
    CAPTURE(one.from, one.to);
    const auto found = faults(with_create(one.from, one.to));
    CAPTURE(yaml::report("profile", found));
    const auto fault = std::find_if(found.begin(), found.end(),
                                    [&](const yaml::Fault& it) { return it.key == one.key; });
    REQUIRE(fault != found.end());
    if (!what.empty()) CHECK(fault->what == what);
  }
}

TEST_CASE("a status cannot mean refused and not processed", "[profile]") {
  auto text = with_create();
  const auto at = text.find("status: 503");
  text.replace(at, 11, "status: 422");
  const auto found = faults(text);
  REQUIRE(found.size() == 1);
  CHECK(found[0].key == "create.refused");
}
