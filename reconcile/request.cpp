// SPDX-License-Identifier: Apache-2.0
#include "reconcile/request.hpp"

#include "base/text.hpp"

namespace reconciled {

std::variant<ListRequest, Unfillable> write_request(const Profile& profile,
                                                    TemplateValues& values) {
  const auto& lookup = profile.lookup;
  ListRequest list;
  list.url = profile.base_url;
  while (list.url.ends_with('/')) list.url.pop_back();
  if (auto unfillable = append_path(lookup.path, values, list.url)) return *std::move(unfillable);
  for (const auto& parameter : lookup.query) {
    list.url.push_back(std::exchange(list.has_query, true) ? '&' : '?');
    if (auto unfillable = append_query_text(parameter.name, values, list.url))
      return *std::move(unfillable);
    list.url.push_back('=');
    if (auto unfillable = append_query_text(parameter.value, values, list.url))
      return *std::move(unfillable);
  }
  if (lookup.body)
    if (auto unfillable = lookup.body->append_open(values, list.body))
      return *std::move(unfillable);
  return list;
}

HttpRequest page_request(const Profile& profile, const ListRequest& list, const PageWalk& walk,
                         const std::optional<PageWalk::More>& page) {
  HttpRequest request{profile.lookup.method, list.url, profile.headers, {}};
  const bool in_body = page && walk.in_body();
  if (page && !in_body) {
    request.url.push_back(list.has_query ? '&' : '?');
    append_percent_encoded(walk.parameter(), request.url);
    request.url.push_back('=');
    append_percent_encoded(page->value, request.url);
  }
  if (!profile.lookup.body) return request;
  const auto name = in_body ? std::string_view(walk.parameter()) : std::string_view{};
  const auto value = !in_body          ? std::string{}
                     : page->is_number ? page->value
                                       : json_quoted(page->value);
  request.body = closed_body(list.body, name, value);
  return request;
}

}  // namespace reconciled
