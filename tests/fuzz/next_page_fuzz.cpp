// SPDX-License-Identifier: Apache-2.0
// Where an answer says that its next page is. The first line is a reference as a body has it, the
// others are Link headers. The credential goes where they lead: never to another origin.
#include <algorithm>
#include <string>
#include <vector>

#include "reconcile/next_url.hpp"
#include "tests/fuzz/require.hpp"

using namespace reconciled;
using fuzz::require;

namespace {

struct Base {
  std::string origin;
  std::string rest;
};
const Base kBases[] = {{"https://api.example.com", "/v1/credits?key=K"},
                       {"https://API.example.com:443", ""},
                       {"http://127.0.0.1:8080", "/a/b?x=1&y=/../"},
                       {"http://[::1]:8080", "?x=1"}};

void check_reference(const Base& base, std::string_view reference) {
  const auto asked = base.origin + base.rest;
  const auto resolved = resolve_same_origin(asked, reference);
  const auto* url = std::get_if<std::string>(&resolved);
  if (url == nullptr) return;
  require(url->starts_with(base.origin), "a URL that is followed begins with our origin");
  const auto behind = std::string_view(*url).substr(base.origin.size());
  require(behind.empty() || behind.front() == '/' || behind.front() == '?',
          "our origin ends where the path or the query begins");
  require(std::all_of(url->begin(), url->end(),
                      [](char c) { return c > ' ' && c <= '~' && c != '#' && c != '\\'; }),
          "a URL that is followed holds nothing that would have to be encoded");
  const auto again = resolve_same_origin(asked, *url);
  const auto* same = std::get_if<std::string>(&again);
  require(same != nullptr, "what was followed once would be followed again");
  const bool slash_added = behind.empty() || behind.front() == '?';
  require(*same == *url || slash_added, "what is resolved stays as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = fuzz::text_of(data, size);
  const auto reference = fuzz::take_line(rest);
  for (const auto& base : kBases) check_reference(base, reference);

  std::vector<std::pair<std::string, std::string>> headers;
  while (!rest.empty()) headers.emplace_back("link", fuzz::take_line(rest));
  const auto next = next_link(headers);
  if (const auto* target = std::get_if<std::string>(&next)) {
    const auto written = "<" + *target + ">";
    require(std::any_of(headers.begin(), headers.end(),
                        [&](const auto& header) {
                          return header.second.find(written) != std::string::npos;
                        }),
            "a target stands in one of the headers");
    for (const auto& base : kBases) check_reference(base, *target);
  }
  headers.insert(headers.end(), headers.begin(), headers.end());
  require(next_link(headers).index() == next.index(), "a header that is repeated changes nothing");
  return 0;
}
