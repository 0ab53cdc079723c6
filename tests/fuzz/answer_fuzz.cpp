// SPDX-License-Identifier: Apache-2.0
// The body of an answer, read by every profile that there is: no text may pass for a credit under
// our key that does not hold the key, nor for an absence unless it is JSON to its end.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "reconcile/credits.hpp"
#include "reconcile/judge.hpp"
#include "reconcile/scan.hpp"
#include "tests/fuzz/json_text.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
using fuzz::require;
namespace fs = std::filesystem;

namespace {

std::vector<Profile> read_profiles() {
  std::vector<Profile> profiles{samples::profile()};
  for (const auto* folder : {"/etc/providers.d", "/tests/unit/reconcile/fixtures"}) {
    for (const auto& entry : fs::directory_iterator(std::string(RECONCILED_SOURCE_DIR) + folder)) {
      std::ifstream file(entry.path());
      profiles.push_back(samples::read({std::istreambuf_iterator<char>(file), {}}));
    }
  }
  return profiles;
}

/// What the shipped profiles need of an operation, so that they have something to ask.
Operation operation() {
  auto result = samples::operation();
  result.provider_context =
      R"({"charge":"ch_1","customer":"cus_1","payment":"pay_1","wallet":"w_1","account":"A-1"})";
  return result;
}

/// An independent look: how many strings of the text are the key, whatever is around them?
std::size_t count_key(const json::Node& node, std::string_view key) {
  std::size_t count = node.is(json::Kind::string) && lower_case(node.text) == key ? 1 : 0;
  for (const auto& child : node) count += count_key(child, key);
  return count;
}

void check_text(const json::Node& root) {
  const auto text = fuzz::json_text(root);
  const auto again = json::read(text);
  require(again.document.has_value(), "what was read can be written and read again");
  require(fuzz::equal(root, again.document->root()), "what is read again is the same");
}

void check_rows(const Profile& profile, const json::Node& root, std::size_t keys) {
  const Sought sought{samples::kKey, "USD", "A-1"};
  const auto read = read_rows(profile.credits, root, sought);
  // Through ^ one key may be shown by all the rows around which it stands.
  require(keys > 0 || read.credits.empty(), "no credit without our key");
  require(read.credits.size() <= root.skip, "no more credits than values");
  for (const auto& credit : read.credits)
    require(credit.reference.size() <= kMostReferenceBytes, "a reference is short");
}

void check_scan(const Profile& profile, std::string_view body, bool json, std::size_t keys) {
  const auto asked = operation();
  Scan scan(profile, asked, samples::kAsOf);
  if (!std::holds_alternative<HttpRequest>(scan.begin())) return;
  const HttpAnswer answer{200, {{"content-type", "application/json"}}, std::string(body)};
  const auto step = scan.next(answer);
  if (const auto* request = std::get_if<HttpRequest>(&step)) {
    require(json, "only an answer that was read leads to another page");
    require(request->url.starts_with(profile.base_url + "/"), "the next page is the provider's");
    return;
  }
  const auto& finding = std::get<Finding>(step);
  if (const auto* found = std::get_if<Found>(&finding))
    require(!found->credits.empty() && keys > 0, "nothing is found without our key");
  require(json || !std::holds_alternative<Absent>(finding), "what is no JSON is no absence");
  const auto verdict = judge(asked, finding, profile.guarantees, {}, {24h},
                             ProviderCondition::normal, samples::kAsOf);
  if (verdict.decision != Decision::succeeded) return;
  const auto& credits = std::get<Found>(finding).credits;
  require(std::any_of(credits.begin(), credits.end(),
                      [&](const Credit& credit) { return credit.amount == *asked.amount; }),
          "only the operation's amount is proof");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto profiles = read_profiles();
  const auto body = fuzz::text_of(data, size);
  const auto read = json::read(body);
  require(read.document.has_value() == read.why.empty(), "what is refused has a reason");
  std::size_t keys = 0;
  if (read.document) {
    check_text(read.document->root());
    keys = count_key(read.document->root(), samples::kKey);
  }
  if (read.document)
    for (const auto& profile : profiles) check_rows(profile, read.document->root(), keys);
  // A whole lookup costs more: each input goes through one profile's, which its size picks.
  check_scan(profiles[size % profiles.size()], body, read.document.has_value(), keys);
  return 0;
}
