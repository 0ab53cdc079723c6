// SPDX-License-Identifier: Apache-2.0
// A provider profile: either faults with their places, or something that asks its own provider, by
// a request that is one, and takes nothing for a credit that an empty answer holds.
#include <algorithm>
#include <string>

#include "reconcile/scan.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
using fuzz::require;

namespace {

void check_faults(const std::vector<yaml::Fault>& faults) {
  require(!faults.empty(), "a profile that is refused has a fault");
  for (const auto& fault : faults)
    require(fault.at.line > 0 && !fault.what.empty(), "a fault has its line and says what");
  require(!yaml::report("profile", faults).empty(), "faults can be told");
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < ' '; });
}

void check_request(const Profile& profile, const HttpRequest& request) {
  require(request.url.starts_with(profile.base_url.substr(0, profile.base_url.size() - 1)),
          "a request goes to the profile's provider");
  require(std::all_of(request.url.begin(), request.url.end(),
                      [](char c) { return c > ' ' && c <= '~' && c != '#'; }),
          "a request's URL is encoded");
  require(request.body.empty() || json::read(request.body).document.has_value(), "a body is JSON");
  for (const auto& [name, value] : request.headers)
    require(is_one_line(name) && is_one_line(value), "a header is one line");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto result = read_profile(fuzz::text_of(data, size));
  if (const auto* faults = std::get_if<std::vector<yaml::Fault>>(&result)) {
    check_faults(*faults);
    return 0;
  }
  auto profile = std::get<Profile>(result);
  if (profile.base_url.empty()) profile.base_url = "https://api.example.com";
  require(fault_of_base_url(profile.base_url).empty(), "a base URL is one");
  require(profile.lookup.max_pages > 0, "at least one page is read");
  const auto operation = samples::operation();
  Scan scan(profile, operation, samples::kAsOf);
  auto step = scan.begin();
  for (const char* body : {"{}", "[]", R"({"data":[]})"}) {
    const auto* request = std::get_if<HttpRequest>(&step);
    if (request == nullptr) break;
    check_request(profile, *request);
    step = scan.next(HttpAnswer{200, {{"content-type", "application/json"}}, body});
  }
  if (const auto* finding = std::get_if<Finding>(&step))
    require(!std::holds_alternative<Found>(*finding), "nothing is found in an empty answer");
  return 0;
}
