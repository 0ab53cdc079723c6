// SPDX-License-Identifier: Apache-2.0
#include "reconcile/scan.hpp"

#include <algorithm>

#include "base/overloaded.hpp"
#include "reconcile/credits.hpp"
#include "reconcile/paging.hpp"
#include "reconcile/profile.hpp"
#include "reconcile/retry_after.hpp"

namespace reconciled {
namespace {

using Kind = ProviderSignal::Kind;
constexpr std::string_view kRetryAfter = "retry-after";

/// application/json or application/…+json, whatever its parameters.
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

ProviderSignal throttled(const HttpAnswer& answer) {
  return {Kind::throttled, parse_retry_after(answer.header(kRetryAfter), answer.header("date"))};
}

/// What a status says about the provider, beside the operation (design §5, "HTTP").
ProviderSignal signal_of(const HttpAnswer& answer) {
  switch (answer.status) {
    case 401:
      return {Kind::refused_401};
    case 403:
      return {Kind::refused_403};
    case 429:
      return throttled(answer);
    case 408:
    case 409:
    case 425:
      return {Kind::no_answer};
    case 503:
      return has_header(answer, kRetryAfter) ? throttled(answer) : ProviderSignal{Kind::no_answer};
    default:
      return {answer.status >= 500 && answer.status <= 599 ? Kind::no_answer : Kind::answered};
  }
}

/// The finding of a first request that failed by its status.
Finding finding_of(const ProviderSignal& signal, int status) {
  switch (signal.kind) {
    case Kind::refused_401:
    case Kind::refused_403:
      return Refused{status};
    case Kind::throttled:
      return Throttled{signal.retry_after};
    case Kind::no_answer:
      return NoAnswer{"status " + std::to_string(status)};
    case Kind::unreachable:
    case Kind::not_asked:
    case Kind::answered:
      break;
  }
  return Unintelligible{"status " + std::to_string(status) +
                        ", which the profile does not declare"};
}

}  // namespace

struct Scan::State {
  State(const Profile& with, const Operation& operation, DatabaseTime as_of);

  std::optional<Finding> compose(const Operation& operation, DatabaseTime as_of);
  HttpRequest request(const std::optional<std::string>& page) const;
  Step read(const HttpAnswer& answer);
  Step read_page(const json::Node& root);
  Finding finished();
  Finding failed(Finding first_page, std::string why);
  Finding unreadable(const std::string& why);

  const Profile& profile;
  Sought sought;
  std::string url;  // of the first page, the paging parameter left out
  bool url_has_query = false;
  std::optional<Finding> cannot_ask;
  PageWalk walk;
  std::vector<Credit> credits;
  int pages = 0;
  int http_status = 0;
  ProviderSignal signal;
};

Scan::State::State(const Profile& with, const Operation& operation, DatabaseTime as_of)
    : profile(with),
      sought{to_string(operation.id), operation.currency},
      walk(with.lookup.paging, with.lookup.max_pages) {
  cannot_ask = compose(operation, as_of);
}

/// Writes `url`; the finding if the operation lacks what it needs.
std::optional<Finding> Scan::State::compose(const Operation& operation, DatabaseTime as_of) {
  const auto& lookup = profile.lookup;
  TemplateValues values(operation, lookup.window, as_of, profile.credits.amount.exponents);
  const auto fault = [](const Unfillable& unfillable) -> Finding {
    if (!unfillable.missing.empty()) return MissingContext{unfillable.missing};
    return Unintelligible{unfillable.unsafe};
  };
  url = profile.base_url;
  while (url.ends_with('/')) url.pop_back();
  if (const auto unfillable = append_path(lookup.path, values, url)) return fault(*unfillable);
  for (const auto& parameter : lookup.query) {
    url.push_back(std::exchange(url_has_query, true) ? '&' : '?');
    if (const auto unfillable = append_query_text(parameter.name, values, url))
      return fault(*unfillable);
    url.push_back('=');
    if (const auto unfillable = append_query_text(parameter.value, values, url))
      return fault(*unfillable);
  }
  return std::nullopt;
}

HttpRequest Scan::State::request(const std::optional<std::string>& page) const {
  HttpRequest result{profile.lookup.method, url, profile.headers, {}};
  if (!page) return result;
  result.url.push_back(url_has_query ? '&' : '?');
  append_percent_encoded(walk.parameter(), result.url);
  result.url.push_back('=');
  append_percent_encoded(*page, result.url);
  return result;
}

Scan::Step Scan::State::read(const HttpAnswer& answer) {
  const auto& empty = profile.lookup.empty_statuses;
  if (answer.status != 200) {
    if (pages == 0 && std::find(empty.begin(), empty.end(), answer.status) != empty.end())
      return finished();
    return failed(finding_of(signal, answer.status), "status " + std::to_string(answer.status));
  }
  if (!is_json(answer.header("content-type"))) return unreadable("an answer that is not JSON");
  const auto parsed = json::read(answer.body);
  if (!parsed.document) return unreadable(parsed.why);
  return read_page(parsed.document->root());
}

Scan::Step Scan::State::read_page(const json::Node& root) {
  auto page = read_rows(profile.credits, root, sought);
  std::move(page.credits.begin(), page.credits.end(), std::back_inserter(credits));
  if (!page.why.empty()) return unreadable(page.why);
  if (profile.credits.key.unique && !credits.empty()) {
    ++pages;
    return finished();
  }
  auto turn = walk.next(root, page);
  if (const auto* undeclared = std::get_if<PageWalk::Undeclared>(&turn)) {
    if (!credits.empty()) ++pages;  // what the page did show must not be forgotten
    return unreadable(undeclared->why);
  }
  ++pages;
  if (const auto* stuck = std::get_if<PageWalk::Stuck>(&turn)) return unreadable(stuck->why);
  if (const auto* more = std::get_if<PageWalk::More>(&turn)) return request(more->value);
  return finished();
}

Finding Scan::State::finished() {
  if (credits.empty()) return Absent{};
  return Found{std::move(credits)};
}

/// Once a page was read, every failure is an incomplete listing.
Finding Scan::State::failed(Finding first_page, std::string why) {
  if (pages == 0) return first_page;
  return Incomplete{std::move(credits), std::move(why) + " after page " + std::to_string(pages)};
}

Finding Scan::State::unreadable(const std::string& why) { return failed(Unintelligible{why}, why); }

Scan::Scan(const Profile& profile, const Operation& operation, DatabaseTime as_of)
    : state_(std::make_unique<State>(profile, operation, as_of)) {}
Scan::~Scan() = default;
Scan::Scan(Scan&&) noexcept = default;
Scan& Scan::operator=(Scan&&) noexcept = default;

Scan::Step Scan::begin() {
  if (state_->cannot_ask) {
    state_->signal = {Kind::not_asked};
    return *state_->cannot_ask;
  }
  return state_->request(state_->walk.first());
}

Scan::Step Scan::next(const HttpReply& reply) {
  if (const auto* failure = std::get_if<HttpFailure>(&reply)) {
    state_->signal = {failure->sent ? Kind::no_answer : Kind::unreachable};
    const Finding first_page =
        failure->sent ? Finding{NoAnswer{failure->why}} : Finding{Unreachable{failure->why}};
    return state_->failed(first_page, failure->why);
  }
  const auto& answer = std::get<HttpAnswer>(reply);
  state_->http_status = answer.status;
  state_->signal = signal_of(answer);
  return state_->read(answer);
}

Finding Scan::out_of_time(bool sent) {
  if (sent) state_->signal = {Kind::no_answer};
  // Our own rate limit or lease kept the request back: the provider is not to blame.
  if (!sent && state_->pages == 0) state_->signal = {Kind::not_asked};
  constexpr std::string_view kWhy = "out of time";
  const Finding first_page =
      sent ? Finding{NoAnswer{std::string(kWhy)}} : Finding{Unreachable{std::string(kWhy)}};
  return state_->failed(first_page, std::string(kWhy));
}

int Scan::pages() const noexcept { return state_->pages; }
int Scan::http_status() const noexcept { return state_->http_status; }
const ProviderSignal& Scan::signal() const noexcept { return state_->signal; }

}  // namespace reconciled
