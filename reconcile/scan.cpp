// SPDX-License-Identifier: Apache-2.0
#include "reconcile/scan.hpp"

#include <algorithm>

#include "base/overloaded.hpp"
#include "reconcile/credits.hpp"
#include "reconcile/paging.hpp"
#include "reconcile/profile.hpp"
#include "reconcile/request.hpp"
#include "reconcile/signal.hpp"

namespace reconciled {
namespace {

using Kind = ProviderSignal::Kind;

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

Finding cannot_fill(const Unfillable& unfillable) {
  if (!unfillable.missing.empty()) return MissingContext{unfillable.missing};
  return Unintelligible{unfillable.unsafe};
}

}  // namespace

struct Scan::State {
  State(const Profile& with, const Operation& of, DatabaseTime as_of);

  const CreditRules& rules() const noexcept { return filled ? *filled : profile.credits; }
  std::optional<Finding> prepare(const Operation& operation);
  std::optional<Finding> compose(const Operation& operation);
  HttpRequest ask(const std::optional<PageWalk::More>& page);
  HttpRequest ask_first();
  Step read(const HttpAnswer& answer);
  Step read_page(const json::Node& root, const HttpAnswer& answer);
  Step end_of_list();
  Finding finished();
  Finding failed(Finding first_page, std::string why);
  Finding unreadable(const std::string& why);

  const Profile& profile;
  Sought sought;
  std::vector<TimeSpan> spans;    // one request's worth each; listed one after the other
  std::optional<Operation> kept;  // where there are several: the caller's may be gone by then
  std::size_t span = 0;
  std::optional<CreditRules> filled;
  ListRequest list;
  std::string asked_url;
  std::optional<Finding> cannot_ask;
  std::optional<PageWalk> walk;  // of the list at hand
  std::vector<Credit> credits;
  int pages = 0;
  int list_pages = 0;  // of the list at hand
  int answers = 0;     // pages, and statuses that mean empty
  int http_status = 0;
  ProviderSignal signal;
};

Scan::State::State(const Profile& with, const Operation& of, DatabaseTime as_of)
    : profile(with),
      sought{to_string(of.id), of.currency, of.account_id},
      // One more than may be asked: the scan then ends at max_pages before the last of them.
      spans(spans_of(with.lookup.window, of.created_at, as_of,
                     static_cast<std::size_t>(with.lookup.max_pages) + 1)) {
  if (spans.size() > 1) kept = of;
  cannot_ask = prepare(of);
}

std::optional<Finding> Scan::State::prepare(const Operation& operation) {
  TemplateValues values(operation, spans.front(), profile.credits.amount.exponents);
  if (const auto unfillable = fill(profile.credits, values, filled))
    return cannot_fill(*unfillable);
  return compose(operation);
}

/// Makes the list of the span at hand; the finding if the operation lacks what it needs.
std::optional<Finding> Scan::State::compose(const Operation& operation) {
  TemplateValues values(operation, spans[span], profile.credits.amount.exponents);
  auto written = write_request(profile, values);
  if (const auto* unfillable = std::get_if<Unfillable>(&written)) return cannot_fill(*unfillable);
  list = std::get<ListRequest>(std::move(written));
  const auto& lookup = profile.lookup;
  walk.emplace(lookup.paging, lookup.total, lookup.max_pages, answers);
  list_pages = 0;
  return std::nullopt;
}

HttpRequest Scan::State::ask(const std::optional<PageWalk::More>& page) {
  auto request = page_request(profile, list, *walk, page);
  asked_url = request.url;
  return request;
}

HttpRequest Scan::State::ask_first() {
  auto first = walk->first();
  if (!first) return ask(std::nullopt);
  return ask(PageWalk::More{std::move(*first), true});
}

Scan::Step Scan::State::read(const HttpAnswer& answer) {
  const auto& empty = profile.lookup.empty_statuses;
  if (answer.status != 200) {
    if (list_pages == 0 && std::find(empty.begin(), empty.end(), answer.status) != empty.end()) {
      ++answers;
      return end_of_list();
    }
    return failed(finding_of(signal, answer.status), "status " + std::to_string(answer.status));
  }
  if (!is_json(answer.header("content-type"))) return unreadable("an answer that is not JSON");
  const auto parsed = json::read(answer.body);
  if (!parsed.document) return unreadable(parsed.why);
  return read_page(parsed.document->root(), answer);
}

Scan::Step Scan::State::read_page(const json::Node& root, const HttpAnswer& answer) {
  auto page = read_rows(rules(), root, sought);
  std::move(page.credits.begin(), page.credits.end(), std::back_inserter(credits));
  if (!page.why.empty()) return unreadable(page.why);
  if (profile.credits.key.unique && !credits.empty()) {
    ++pages;
    return finished();
  }
  auto turn = walk->next(root, page, answer, asked_url);
  if (const auto* undeclared = std::get_if<PageWalk::Undeclared>(&turn)) {
    if (!credits.empty()) ++pages;  // what the page did show must not be forgotten
    return unreadable(undeclared->why);
  }
  ++pages;
  ++list_pages;
  ++answers;
  if (const auto* stuck = std::get_if<PageWalk::Stuck>(&turn)) return unreadable(stuck->why);
  if (const auto* more = std::get_if<PageWalk::More>(&turn)) return ask(*more);
  if (auto* onward = std::get_if<PageWalk::Follow>(&turn)) {
    asked_url = std::move(onward->url);
    return HttpRequest{HttpMethod::get, asked_url, profile.headers, {}};
  }
  return end_of_list();
}

/// One part of the window is listed; the next one, if there is any.
Scan::Step Scan::State::end_of_list() {
  if (span + 1 == spans.size()) return finished();
  if (answers >= profile.lookup.max_pages)
    return unreadable("more than max_pages (" + std::to_string(profile.lookup.max_pages) + ")");
  ++span;
  if (auto finding = compose(*kept)) return *std::move(finding);
  return ask_first();
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
  return state_->ask_first();
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
