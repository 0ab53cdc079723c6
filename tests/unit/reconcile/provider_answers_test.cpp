// SPDX-License-Identifier: Apache-2.0
// Profiles against answers in the form that their providers document. A provider's test is data:
// answers/NAME.yaml names the profile, an operation, the request that it must make, and cases of
// answers with what they must come to. How to write one: see any of them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "reconcile/judge.hpp"
#include "reconcile/scan.hpp"
#include "reconcile/verdict.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = RECONCILED_SOURCE_DIR;
const fs::path kAnswers = kRoot / "tests/unit/reconcile/answers";

/// What every provider's file must have a case of, or say under `without` why it has none.
constexpr const char* kKinds[] = {"found",    "absent",           "second page", "pending",
                                  "reversed", "foreign currency", "error body"};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// KEY stands for the operation's id.
std::string text_at(const yaml::Node& node, std::string_view key,
                    const std::string& standard = "") {
  const auto* found = node.find(key);
  auto text = found == nullptr ? standard : found->text;
  for (auto at = text.find("KEY"); at != std::string::npos; at = text.find("KEY", at))
    text.replace(at, 3, samples::kKey);
  return text;
}

yaml::Node read_yaml(const fs::path& path) {
  auto document = yaml::read(text_of(path));
  CAPTURE(yaml::report(path.string(), document.faults));
  REQUIRE(document.faults.empty());
  return std::move(document.root);
}

/// The keys of a case, an answer or a file: a typing error must not switch a check off.
void only(const yaml::Node& node, const std::set<std::string>& known) {
  for (const auto& entry : node.entries) {
    CAPTURE(entry.key, entry.at.line);
    REQUIRE(known.contains(entry.key));
  }
}

void change(Operation& operation, const yaml::Node* by) {
  if (by == nullptr) return;
  only(*by, {"account_id", "amount", "currency", "provider_context"});
  operation.account_id = text_at(*by, "account_id", operation.account_id);
  if (by->find("amount") != nullptr) operation.amount = Decimal::parse(text_at(*by, "amount"));
  operation.currency = text_at(*by, "currency", operation.currency);
  operation.provider_context = text_at(*by, "provider_context", operation.provider_context);
}

HttpAnswer answer_of(const yaml::Node& node) {
  only(node, {"status", "headers", "body"});
  HttpAnswer answer{std::stoi(text_at(node, "status", "200")), {}, text_at(node, "body")};
  if (const auto* headers = node.find("headers"))
    for (const auto& header : headers->entries)
      answer.headers.emplace_back(header.key, header.value.text);
  if (answer.header("content-type").empty())
    answer.headers.emplace_back("content-type", "application/json");
  return answer;
}

/// "GET https://…", and a blank and the body of a POST.
std::string shown(const HttpRequest& request) {
  const bool post = request.method == HttpMethod::post;
  return (post ? "POST " : "GET ") + request.url + (post ? " " + request.body : "");
}

/// "re_1 A-1 250 USD settled"; a dash for what the profile does not take from the answer.
std::string shown(const Credit& credit) {
  constexpr const char* kStates[] = {"settled", "pending", "failed", "reversed", "unrecognised"};
  return credit.reference + " " + credit.account.value_or("-") + " " + credit.amount.to_string() +
         " " + credit.currency.value_or("-") + " " +
         kStates[static_cast<std::size_t>(credit.state)];
}

std::vector<std::string> credits_of(const Finding& finding) {
  std::vector<std::string> result;
  const auto add = [&](const std::vector<Credit>& credits) {
    for (const auto& credit : credits) result.push_back(shown(credit));
  };
  if (const auto* found = std::get_if<Found>(&finding)) add(found->credits);
  if (const auto* incomplete = std::get_if<Incomplete>(&finding)) add(incomplete->credits);
  return result;
}

std::vector<std::string> texts(const yaml::Node& node, std::string_view key) {
  std::vector<std::string> result;
  const auto* list = node.find(key);
  if (list == nullptr) return result;
  for (const auto& item : list->items) {
    const yaml::Node one{yaml::Kind::mapping, {}, "", false, {}, {{"x", {}, item}}};
    result.push_back(text_at(one, "x"));
  }
  return result;
}

struct File {
  yaml::Node root;
  Profile profile;
  Operation operation = samples::operation();
};

File load(const fs::path& path) {
  File file{read_yaml(path), {}, samples::operation()};
  only(file.root, {"profile", "operation", "request", "without", "cases"});
  file.profile = samples::read(text_of(kRoot / text_at(file.root, "profile")));
  change(file.operation, file.root.find("operation"));
  return file;
}

void check_case(const File& file, const yaml::Node& one) {
  only(one, {"name", "operation", "answers", "asks", "finding", "credits", "verdict"});
  auto operation = file.operation;
  change(operation, one.find("operation"));
  Scan scan(file.profile, operation, samples::kAsOf);
  std::vector<std::string> requests;
  auto step = scan.begin();
  for (const auto& answer : one.find("answers")->items) {
    const auto* request = std::get_if<HttpRequest>(&step);
    REQUIRE(request != nullptr);
    requests.push_back(shown(*request));
    step = scan.next(answer_of(answer));
  }
  const auto* finding = std::get_if<Finding>(&step);
  REQUIRE(finding != nullptr);
  requests.erase(requests.begin());
  CHECK(requests == texts(one, "asks"));
  CAPTURE(explanation(*finding));
  CHECK(word(*finding) == text_at(one, "finding"));
  CHECK(credits_of(*finding) == texts(one, "credits"));
  const auto verdict = judge(operation, *finding, file.profile.guarantees, {}, {24h},
                             ProviderCondition::normal, samples::kAsOf);
  CHECK(std::string(word(verdict.decision)) + " " + std::string(word(verdict.reason)) ==
        text_at(one, "verdict"));
}

std::set<std::string> names_of(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  return names;
}

}  // namespace

TEST_CASE("each profile reads its provider's answers as they are documented", "[answers]") {
  for (const auto& name : names_of(kAnswers)) {
    CAPTURE(name);
    const auto file = load(kAnswers / (name + ".yaml"));
    CHECK(file.profile.name == name);
    const auto step = Scan(file.profile, file.operation, samples::kAsOf).begin();
    REQUIRE(std::holds_alternative<HttpRequest>(step));
    CHECK(shown(std::get<HttpRequest>(step)) == text_at(file.root, "request"));
    for (const auto& one : file.root.find("cases")->items) {
      CAPTURE(text_at(one, "name"));
      check_case(file, one);
    }
  }
}

TEST_CASE("each kind of answer has its case, or a reason why there is none", "[answers]") {
  for (const auto& name : names_of(kAnswers)) {
    CAPTURE(name);
    const auto root = read_yaml(kAnswers / (name + ".yaml"));
    std::set<std::string> there;
    for (const auto& one : root.find("cases")->items) there.insert(text_at(one, "name"));
    const auto* without = root.find("without");
    for (const std::string kind : kKinds) {
      CAPTURE(kind);
      const bool excused = without != nullptr && without->find(kind) != nullptr;
      CHECK(there.contains(kind) != excused);
    }
  }
}

TEST_CASE("each shipped profile, and each fixture, has its answers", "[answers]") {
  const auto answered = names_of(kAnswers);
  auto profiles = names_of(kRoot / "etc/providers.d");
  CHECK(profiles.size() >= 10);
  profiles.merge(names_of(kRoot / "tests/unit/reconcile/fixtures"));
  CHECK(answered == profiles);
}

TEST_CASE("a profile that lacks what an operation must carry says so", "[answers]") {
  for (const auto& name : names_of(kAnswers)) {
    CAPTURE(name);
    auto file = load(kAnswers / (name + ".yaml"));
    if (file.operation.provider_context.empty()) continue;
    file.operation.provider_context = "";
    const auto step = Scan(file.profile, file.operation, samples::kAsOf).begin();
    REQUIRE(std::holds_alternative<Finding>(step));
    CHECK(word(std::get<Finding>(step)) == "missing-context");
  }
}

TEST_CASE("every page that any case reads is incomplete when the next one fails", "[answers]") {
  for (const auto& name : names_of(kAnswers)) {
    CAPTURE(name);
    const auto file = load(kAnswers / (name + ".yaml"));
    for (const auto& one : file.root.find("cases")->items) {
      const auto& answers = one.find("answers")->items;
      if (text_at(one, "name") != "second page") continue;
      auto operation = file.operation;
      change(operation, one.find("operation"));
      Scan scan(file.profile, operation, samples::kAsOf);
      scan.begin();
      scan.next(answer_of(answers.front()));
      const auto step = scan.next(HttpAnswer{500, {}, ""});
      CHECK(word(std::get<Finding>(step)) == "incomplete");
    }
  }
}
