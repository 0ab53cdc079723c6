// SPDX-License-Identifier: Apache-2.0
// The profile's `lookup.paging`: how to get from page to page.
#include <algorithm>
#include <charconv>

#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

constexpr std::int64_t kMostRowsOfPage = 100'000;

using Query = std::vector<QueryParameter>;

Query::iterator find_parameter(Query& query, std::string_view name) {
  return std::find_if(query.begin(), query.end(), [&](const QueryParameter& parameter) {
    const auto& parts = parameter.name.parts();
    const auto* literal = parts.size() == 1 ? std::get_if<std::string>(&parts.front()) : nullptr;
    return literal != nullptr && *literal == name;
  });
}

/// The parameter that carries the cursor: a first request with one would start in the middle.
std::string read_cursor_param(ProfileFields& paging, Query& query) {
  auto param = paging.text("param");
  if (!param.empty() && find_parameter(query, param) != query.end())
    paging.fault(*paging.find("param"), "param", "is under lookup.query too");
  if (paging.has("in") && paging.word("in", {"query", "body"}) == std::size_t{1})
    paging.fault(*paging.find("in"), "in", "body is not supported by this version");
  return param;
}

Paging read_last_id(ProfileFields& paging, Query& query) {
  LastIdPaging result;
  result.param = read_cursor_param(paging, query);
  result.id_at = paging.pointer("id_at");
  result.more_at = paging.pointer("more_at");
  return result;
}

Paging read_cursor(ProfileFields& paging, Query& query) {
  CursorPaging result;
  result.param = read_cursor_param(paging, query);
  result.cursor_at = paging.pointer("cursor_at");
  return result;
}

/// The first page's number, taken out of the query: each request names its page once.
std::optional<int> take_first_page(ProfileFields& paging, const std::string& param, Query& query) {
  const auto found = find_parameter(query, param);
  if (found == query.end()) return std::nullopt;
  const auto& parts = found->value.parts();
  const auto* literal = parts.size() == 1 ? std::get_if<std::string>(&parts.front()) : nullptr;
  int first = -1;
  if (literal != nullptr) {
    const auto* end = literal->data() + literal->size();
    if (std::from_chars(literal->data(), end, first).ptr != end) first = -1;
  }
  if (first < 0)
    paging.fault(*paging.find("param"), "param", "stands under lookup.query with no page number");
  query.erase(found);
  return first;
}

Paging read_page(ProfileFields& paging, Query& query) {
  PagePaging result;
  result.param = paging.text("param");
  result.first = take_first_page(paging, result.param, query);
  result.next_at = paging.optional_pointer("next_at");
  const auto rows = paging.optional_number("until_short", 1, kMostRowsOfPage);
  if (paging.has("next_at") == paging.has("until_short"))
    paging.fault("needs either next_at or until_short (the rows of a full page)");
  if (!rows) return result;
  result.until_short = static_cast<std::size_t>(*rows);
  if (!result.first) result.first = 1;
  return result;
}

}  // namespace

Paging read_paging(ProfileFields& paging, std::vector<QueryParameter>& query) {
  const std::vector<std::string_view> kinds = {
      "none", "last_id", "cursor", "page", "next_url", "link_header", "header_cursor", "offset"};
  const auto kind = paging.word("kind", kinds);
  if (kind == std::size_t{1}) return read_last_id(paging, query);
  if (kind == std::size_t{2}) return read_cursor(paging, query);
  if (kind == std::size_t{3}) return read_page(paging, query);
  if (kind == std::size_t{0}) return NoPaging{};
  // What belongs to a kind that is not known here is not worth a fault of its own.
  for (const auto& entry : paging.node().entries) paging.find(entry.key);
  if (kind)
    paging.fault(*paging.find("kind"), "kind",
                 std::string(kinds[*kind]) + " is not supported by this version");
  return NoPaging{};
}

}  // namespace reconciled
