// SPDX-License-Identifier: Apache-2.0
#include "reconcile/signal.hpp"

#include <algorithm>

#include "reconcile/money.hpp"
#include "reconcile/retry_after.hpp"

namespace reconciled {
namespace {

using Kind = ProviderSignal::Kind;
constexpr std::string_view kRetryAfter = "retry-after";

}  // namespace

bool is_json(std::string_view content_type) {
  auto type = lower_case(content_type.substr(0, content_type.find(';')));
  type.erase(0, type.find_first_not_of(" \t"));
  type.erase(type.find_last_not_of(" \t") + 1);
  constexpr std::string_view kApplication = "application/";
  if (!type.starts_with(kApplication)) return false;
  const auto subtype = std::string_view(type).substr(kApplication.size());
  return subtype == "json" || (subtype.ends_with("+json") && subtype.size() > 5);
}

bool has_header(const HttpAnswer& answer, std::string_view name) {
  return std::any_of(answer.headers.begin(), answer.headers.end(),
                     [&](const auto& header) { return header.first == name; });
}

std::optional<Duration> retry_after_of(const HttpAnswer& answer) {
  return parse_retry_after(answer.header(kRetryAfter), answer.header("date"));
}

ProviderSignal signal_of(const HttpAnswer& answer) {
  const ProviderSignal throttled{Kind::throttled, retry_after_of(answer)};
  switch (answer.status) {
    case 401:
      return {Kind::refused_401};
    case 403:
      return {Kind::refused_403};
    case 429:
      return throttled;
    case 408:
    case 409:
    case 425:
      return {Kind::no_answer};
    case 503:
      return has_header(answer, kRetryAfter) ? throttled : ProviderSignal{Kind::no_answer};
    default:
      return {answer.status >= 500 && answer.status <= 599 ? Kind::no_answer : Kind::answered};
  }
}

}  // namespace reconciled
