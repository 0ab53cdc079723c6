// SPDX-License-Identifier: Apache-2.0
// The profile's `lookup`: how to ask.
#include <algorithm>
#include <charconv>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

/// Statuses that have their own meaning whatever a profile says (design §5, "HTTP").
bool may_mean_empty(std::int64_t status) noexcept {
  constexpr std::int64_t kTaken[] = {401, 403, 408, 409, 425, 429};
  const bool in_range = (status > 200 && status < 300) || (status >= 400 && status < 500);
  return in_range && std::find(std::begin(kTaken), std::end(kTaken), status) == std::end(kTaken);
}

std::vector<int> read_empty_statuses(ProfileFields& lookup) {
  std::vector<int> result;
  for (const auto& word : lookup.words("empty_statuses")) {
    int status = 0;
    const auto* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, status);
    if (read.ec == std::errc{} && read.ptr == end && may_mean_empty(status))
      result.push_back(status);
    else
      lookup.fault(*lookup.find("empty_statuses"), "empty_statuses",
                   yaml::quoted(word) + " is no status that can mean an empty answer");
  }
  return result;
}

Template read_path(ProfileFields& lookup) {
  const auto text = lookup.text("path");
  if (text.empty()) return {};
  const auto* node = lookup.find("path");
  auto path = read_template(text, node->at, lookup.path_of("path"), lookup.faults());
  if (path.parts().empty()) return path;
  if (auto fault = fault_of_path(path); !fault.empty()) lookup.fault(*node, "path", fault);
  return path;
}

std::vector<QueryParameter> read_query(ProfileFields& lookup) {
  std::vector<QueryParameter> result;
  const auto* node = lookup.find("query");
  if (node == nullptr) return result;
  ProfileFields query(*node, lookup.path_of("query"), lookup.faults());
  for (const auto& entry : node->entries) {
    const auto path = query.path_of(entry.key);
    const auto value = scalar_text(entry.value, path, query.faults());
    if (!value) continue;
    if (entry.key.empty()) query.faults().push_back({entry.at, path, "a parameter without a name"});
    result.push_back({read_template(entry.key, entry.at, path, query.faults()),
                      read_template(*value, entry.value.at, path, query.faults())});
  }
  return result;
}

bool uses(const Lookup& lookup, TemplateValue value) {
  return lookup.path.uses(value) || (lookup.body && lookup.body->uses(value)) ||
         std::any_of(lookup.query.begin(), lookup.query.end(),
                     [&](const QueryParameter& parameter) {
                       return parameter.name.uses(value) || parameter.value.uses(value);
                     });
}

void read_window(ProfileFields& lookup, Lookup& result) {
  const bool starts = uses(result, TemplateValue::window_start);
  const bool ends = uses(result, TemplateValue::window_end);
  const auto* node = lookup.find("window");
  if (node == nullptr) {
    if (starts || ends)
      lookup.fault("uses window_start or window_end, and has no window (before:, after:)");
    return;
  }
  ProfileFields fields(*node, lookup.path_of("window"), lookup.faults());
  result.window.before = fields.duration("before");
  result.window.after = fields.duration("after");
  if (fields.has("span")) {
    result.window.span = fields.duration("span");
    if (result.window.span < kLeastSpan)
      fields.fault(*fields.find("span"), "span", "must be 1m or longer");
    else if (!starts || !ends)
      fields.fault(*fields.find("span"), "span",
                   "needs window_start and window_end in the request, to be split by");
  }
  fields.find("span");
  fields.finish();
}

void read_method(ProfileFields& lookup, Lookup& result) {
  if (lookup.word("method", {"GET", "POST"}) == std::size_t{1}) result.method = HttpMethod::post;
  const auto* body = lookup.find("body");
  if (result.method == HttpMethod::get) {
    if (body != nullptr) lookup.fault(*body, "body", "needs method POST");
    return;
  }
  result.body.emplace();
  if (body != nullptr) *result.body = read_body(*body, lookup.path_of("body"), lookup.faults());
}

}  // namespace

Lookup read_lookup(ProfileFields& lookup) {
  Lookup result;
  read_method(lookup, result);
  result.path = read_path(lookup);
  result.query = read_query(lookup);
  read_window(lookup, result);
  result.empty_statuses = read_empty_statuses(lookup);
  if (const auto* node = lookup.required("paging")) {
    ProfileFields paging(*node, lookup.path_of("paging"), lookup.faults());
    read_paging(paging, result);
    paging.finish();
  }
  result.max_pages = static_cast<int>(
      lookup.optional_number("max_pages", 1, kMaxPagesMost).value_or(kMaxPagesDefault));
  return result;
}

}  // namespace reconciled
