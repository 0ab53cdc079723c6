// SPDX-License-Identifier: Apache-2.0
// Creating again as values: the request, the classes of answers, and what is recorded (design §6).
#include "reconcile/create.hpp"
#include "reconcile/profile.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

using Result = CreateResult;

Profile profile(
    const std::string& content =
        R"(body: {account: "{account_id}", amount: "{amount}", currency: "{currency}"})") {
  auto read = read_profile(std::string(samples::kProfile) +
                           "  not_processed: [{status: 503, with_header: Retry-After}, "
                           "{status: 409}]\n"
                           "create:\n  method: POST\n  path: /v1/credits\n"
                           "  headers: {Idempotency-Key: \"{operation_id}\"}\n  " +
                           content + "\n  success: [200, 201]\n  refused: [400]\n");
  if (auto* found = std::get_if<std::vector<yaml::Fault>>(&read))
    throw std::runtime_error(yaml::report("profile", *found));
  return std::get<Profile>(std::move(read));
}

HttpRequest request(const Profile& of, const Operation& operation) {
  return std::get<HttpRequest>(write_create(of, operation));
}

std::string header(const HttpRequest& request, std::string_view name) {
  for (const auto& [known, value] : request.headers)
    if (known == name) return value;
  return "<none>";
}

HttpAnswer answer(int status, std::string body = "{}",
                  std::vector<std::pair<std::string, std::string>> headers = {}) {
  headers.emplace_back("content-type", "application/json");
  return {status, std::move(headers), std::move(body)};
}

std::string credit(std::string_view key = samples::kKey, std::string_view amount = "250.00",
                   std::string_view status = "posted") {
  return fmt::format(
      R"({{"id":"cr_1","key":"{}","account":"A-1","amount":"{}","currency":"USD","status":"{}"}})",
      key, amount, status);
}

CreateAnswer read(const HttpReply& reply) {
  return read_created(profile(), samples::operation(), reply);
}

}  // namespace

TEST_CASE("a create sends the key, the operation's values and nothing of its own", "[create]") {
  auto operation = samples::operation("250.10");
  operation.account_id = "Ä\"'1";
  const auto sent = request(profile(), operation);
  CHECK(sent.method == HttpMethod::post);
  CHECK(sent.url == "https://api.example.com/v1/credits");
  CHECK(header(sent, "Idempotency-Key") == samples::kKey);
  CHECK(header(sent, "Example-Version") == "2026-01-01");
  CHECK(header(sent, "Content-Type") == "application/json");
  CHECK(sent.body == R"({"account":"Ä\"'1","amount":"250.10","currency":"USD"})");
  CHECK(sent.own_connection);
  CHECK(request(profile(), operation) == sent);
}

TEST_CASE("a body has an amount as a JSON number where the profile says so", "[create]") {
  const auto sent = request(profile("body: {money: {minor: \"{amount_minor:number}\", text: "
                                    "\"{amount_minor}\"}, list: [\"{amount:number}\"], "
                                    "longer: \"{amount:number} {currency}\"}"),
                            samples::operation("250.10"));
  CHECK(sent.body ==
        R"({"money":{"minor":25010,"text":"25010"},"list":[250.10],"longer":"250.10 USD"})");
}

TEST_CASE("a form is encoded field by field", "[create]") {
  const auto sent =
      request(profile("form: {charge: \"{context.charge}\", amount: \"{amount_minor}\", "
                      "\"metadata[operation_id]\": \"{operation_id}\"}"),
              samples::operation());
  CHECK(header(sent, "Content-Type") == "application/x-www-form-urlencoded");
  CHECK(sent.body ==
        std::string("charge=ch_1&amount=25000&metadata%5Boperation_id%5D=") + samples::kKey);
}

TEST_CASE("what an operation lacks, or what would break a header, is not sent", "[create]") {
  auto operation = samples::operation();
  operation.provider_context = R"({"charge": "a\r\nX-Evil: 1"})";
  const auto lacking =
      write_create(profile("form: {a: \"{amount}\", w: \"{context.wallet}\"}"), operation);
  CHECK(std::get<Unfillable>(lacking).missing == "context.wallet");
  auto evil = profile();
  evil.create->headers.push_back(
      {"X-Charge", std::get<Template>(Template::parse("{context.charge}"))});
  CHECK_FALSE(std::get<Unfillable>(write_create(evil, operation)).unsafe.empty());
}

TEST_CASE("answers to a create fall into their classes", "[create]") {
  struct Row {
    HttpReply reply;
    Result result;
    const char* finding;
    Decision decision;
    const char* reason;
  };
  constexpr auto kUnknown = Decision::unknown;
  constexpr auto kPerson = Decision::needs_reconciliation;
  const Row rows[] = {
      {answer(201, credit()), Result::credit, "found", Decision::succeeded, "proven"},
      {answer(200, credit()), Result::credit, "found", Decision::succeeded, "proven"},
      {answer(201, credit(samples::kKey, "250.00", "pending")), Result::credit, "found", kUnknown,
       "pending"},
      {answer(201, credit(samples::kKey, "249.99")), Result::credit, "found", kPerson, "mismatch"},
      {answer(201, credit("00000000-0000-4000-8000-000000000001")), Result::foreign_credit,
       "unintelligible", kUnknown, "foreign-credit"},
      {answer(201, "{}"), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {answer(201, "{"), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {answer(201, "[]"), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {HttpAnswer{201, {{"content-type", "text/html"}}, credit()}, Result::unclear,
       "unintelligible", kUnknown, "unintelligible"},
      {answer(202, credit()), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {answer(400), Result::refused_for_good, "refused", kPerson, "create-refused"},
      {answer(422), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {answer(409), Result::not_processed, "throttled", kUnknown, "not-processed"},
      {answer(503, "", {{"retry-after", "7"}}), Result::not_processed, "throttled", kUnknown,
       "not-processed"},
      {answer(503), Result::unclear, "no-answer", kUnknown, "no-answer"},
      {answer(429, "", {{"retry-after", "7"}}), Result::unclear, "throttled", kUnknown,
       "throttled"},
      {answer(500, credit()), Result::unclear, "no-answer", kUnknown, "no-answer"},
      {answer(302), Result::unclear, "unintelligible", kUnknown, "unintelligible"},
      {answer(401), Result::unauthorised, "refused", kUnknown, "refused"},
      {answer(403), Result::forbidden, "refused", kUnknown, "refused"},
      {HttpFailure{true, "timeout"}, Result::unclear, "no-answer", kUnknown, "no-answer"},
      {HttpFailure{false, "refused"}, Result::not_sent, "unreachable", kUnknown, "unreachable"}};
  for (const auto& row : rows) {
    const auto* got = std::get_if<HttpAnswer>(&row.reply);
    CAPTURE(got == nullptr ? 0 : got->status, got == nullptr ? "" : got->body);
    const auto read_answer = read(row.reply);
    CHECK(read_answer.result == row.result);
    CHECK(word(read_answer.finding) == row.finding);
    const auto verdict =
        judge_create(samples::operation(), read_answer, profile().guarantees, samples::kAsOf);
    CHECK(verdict.decision == row.decision);
    CHECK(word(verdict.reason) == row.reason);
  }
}

TEST_CASE("only the documented Retry-After keeps the next create back, and wholly", "[create]") {
  CHECK(read(answer(503, "", {{"retry-after", "86400"}})).not_before == Duration(24h));
  CHECK_FALSE(read(answer(409)).not_before);
  CHECK_FALSE(read(answer(429, "", {{"retry-after", "7"}})).not_before);
}

TEST_CASE("an Unknown after a create is looked at when window and settle time are over",
          "[create]") {
  auto promised = profile().guarantees;
  promised.visibility_lag = 2s;
  promised.processing_time = 1min;
  const auto operation = samples::operation();
  const auto verdict =
      judge_create(operation, read(HttpFailure{true, "reset"}), promised, samples::kAsOf);
  CHECK(verdict.look_no_later_than == operation.submit_by + 63s);
  CHECK_FALSE(
      judge_create(operation, read(answer(400)), promised, samples::kAsOf).look_no_later_than);
}

TEST_CASE("a create's answer says about the provider what a lookup's would", "[create]") {
  using Kind = ProviderSignal::Kind;
  CHECK(read(answer(201, credit())).signal.kind == Kind::answered);
  CHECK(read(answer(401)).signal.kind == Kind::refused_401);
  CHECK(read(answer(403)).signal.kind == Kind::refused_403);
  CHECK(read(answer(503, "", {{"retry-after", "7"}})).signal.kind == Kind::throttled);
  CHECK(read(HttpFailure{false, ""}).signal.kind == Kind::unreachable);
}
