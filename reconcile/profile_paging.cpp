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

std::optional<int> as_number(std::string_view text) {
  int number = -1;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

/// What the request itself gives for a parameter: nothing, a number, or something else (-1).
std::optional<int> number_in_request(Lookup& lookup, std::string_view name, bool in_body) {
  const std::string* text = nullptr;
  if (in_body) {
    const auto* member = lookup.body ? lookup.body->find(name) : nullptr;
    if (member == nullptr) return std::nullopt;
    if (member->value.size() == 1) text = std::get_if<std::string>(&member->value.front());
  } else {
    const auto found = find_parameter(lookup.query, name);
    if (found == lookup.query.end()) return std::nullopt;
    const auto& parts = found->value.parts();
    if (parts.size() == 1) text = std::get_if<std::string>(&parts.front());
  }
  return text == nullptr ? -1 : as_number(*text).value_or(-1);
}

void take_out(Lookup& lookup, std::string_view name, bool in_body) {
  if (!in_body) {
    lookup.query.erase(find_parameter(lookup.query, name));
    return;
  }
  std::erase_if(lookup.body->members, [&](const auto& member) { return member.name == name; });
}

/// Whether the parameter is a member of the body.
bool read_place(ProfileFields& paging, const Lookup& lookup) {
  if (!paging.has("in") || paging.word("in", {"query", "body"}) != std::size_t{1}) return false;
  if (!lookup.body) paging.fault(*paging.find("in"), "in", "body needs method POST");
  return lookup.body.has_value();
}

/// The parameter that carries the cursor: a first request with one would start in the middle.
template <class Kind>
Kind read_cursor_param(ProfileFields& paging, Lookup& lookup) {
  Kind result;
  result.in_body = read_place(paging, lookup);
  result.param = paging.text("param");
  if (!result.param.empty() && number_in_request(lookup, result.param, result.in_body))
    paging.fault(*paging.find("param"), "param",
                 result.in_body ? "is under lookup.body too" : "is under lookup.query too");
  return result;
}

Paging read_last_id(ProfileFields& paging, Lookup& lookup) {
  auto result = read_cursor_param<LastIdPaging>(paging, lookup);
  result.id_at = paging.pointer("id_at");
  result.more_at = paging.pointer("more_at");
  return result;
}

Paging read_cursor(ProfileFields& paging, Lookup& lookup) {
  auto result = read_cursor_param<CursorPaging>(paging, lookup);
  result.cursor_at = paging.pointer("cursor_at");
  return result;
}

/// In lower case, as answers have them here.
std::string read_header_name(ProfileFields& paging, std::string_view key) {
  const auto name = paging.text(key);
  if (!name.empty() && !is_header_name(name))
    paging.fault(*paging.find(key), key, "is no name of a header");
  return lower_case(name);
}

Paging read_header_cursor(ProfileFields& paging, Lookup& lookup) {
  auto result = read_cursor_param<HeaderCursorPaging>(paging, lookup);
  result.header = read_header_name(paging, "header");
  return result;
}

Paging read_url(ProfileFields& paging, const Lookup& lookup, bool in_header) {
  if (lookup.method != HttpMethod::get)
    paging.fault(*paging.find("kind"), "kind", "needs method GET");
  if (in_header) return LinkHeaderPaging{};
  return NextUrlPaging{paging.pointer("at")};
}

Paging read_page(ProfileFields& paging, Lookup& lookup) {
  PagePaging result;
  result.in_body = read_place(paging, lookup);
  result.param = paging.text("param");
  // Each request names its page once: the number moves from the request to here.
  if (const auto number = number_in_request(lookup, result.param, result.in_body)) {
    if (*number < 0)
      paging.fault(*paging.find("param"), "param", "stands in the request with no page number");
    result.first = number;
    take_out(lookup, result.param, result.in_body);
  }
  result.next_at = paging.optional_pointer("next_at");
  result.pages_at = paging.optional_pointer("pages_at");
  const auto rows = paging.optional_number("until_short", 1, kMostRowsOfPage);
  if (paging.has("next_at") + paging.has("until_short") + paging.has("pages_at") != 1)
    paging.fault("needs one of next_at, pages_at and until_short (the rows of a full page)");
  if (rows) result.until_short = static_cast<std::size_t>(*rows);
  if (!result.next_at && !result.first) result.first = 1;
  return result;
}

Paging read_offset(ProfileFields& paging, Lookup& lookup) {
  OffsetPaging result;
  result.in_body = read_place(paging, lookup);
  result.param = paging.text("param");
  if (!result.param.empty() && number_in_request(lookup, result.param, result.in_body)) {
    if (*number_in_request(lookup, result.param, result.in_body) != 0)
      paging.fault(*paging.find("param"), "param",
                   "stands in the request with another start than 0");
    take_out(lookup, result.param, result.in_body);
  }
  const auto limit = paging.text("limit");
  const auto rows = number_in_request(lookup, limit, result.in_body).value_or(-1);
  if (!limit.empty() && rows < 1)
    paging.fault(*paging.find("limit"), "limit",
                 "must name the parameter of the request that gives the rows of a full page");
  result.page_rows = rows < 1 ? 0 : static_cast<std::size_t>(rows);
  return result;
}

TotalRule read_total(ProfileFields& paging) {
  auto at = paging.optional_pointer("total_at");
  if (!paging.has("total_header")) {
    paging.find("total_header");
    if (at) return *std::move(at);
    return {};
  }
  if (at)
    paging.fault(*paging.find("total_header"), "total_header", "and total_at exclude each other");
  return read_header_name(paging, "total_header");
}

}  // namespace

void read_paging(ProfileFields& paging, Lookup& lookup) {
  enum Kind { kNone, kLastId, kCursor, kPage, kNextUrl, kLinkHeader, kHeaderCursor, kOffset };
  const auto kind = paging.word("kind", {"none", "last_id", "cursor", "page", "next_url",
                                         "link_header", "header_cursor", "offset"});
  if (!kind) {
    // What belongs to a kind that is not known is not worth a fault of its own.
    for (const auto& entry : paging.node().entries) paging.find(entry.key);
    return;
  }
  lookup.total = read_total(paging);
  switch (static_cast<Kind>(*kind)) {
    case kNone:
      lookup.paging = NoPaging{};
      break;
    case kLastId:
      lookup.paging = read_last_id(paging, lookup);
      break;
    case kCursor:
      lookup.paging = read_cursor(paging, lookup);
      break;
    case kPage:
      lookup.paging = read_page(paging, lookup);
      break;
    case kNextUrl:
    case kLinkHeader:
      lookup.paging = read_url(paging, lookup, *kind == kLinkHeader);
      break;
    case kHeaderCursor:
      lookup.paging = read_header_cursor(paging, lookup);
      break;
    case kOffset:
      lookup.paging = read_offset(paging, lookup);
      break;
  }
}

}  // namespace reconciled
