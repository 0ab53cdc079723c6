// SPDX-License-Identifier: Apache-2.0
#include "reconcile/create.hpp"

#include <algorithm>

#include "reconcile/credits.hpp"
#include "reconcile/profile.hpp"
#include "reconcile/signal.hpp"

namespace reconciled {
namespace {

using Result = CreateResult;

/// A value must not end the header and begin another.
bool may_stand_in_header(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

std::optional<Unfillable> append_headers(const Create& create, TemplateValues& values,
                                         HttpRequest& request) {
  for (const auto& wanted : create.headers) {
    std::string text;
    if (auto unfillable = append_text(wanted.value, values, text)) return unfillable;
    if (!may_stand_in_header(text))
      return Unfillable{{}, "a value of header " + wanted.name + " is not printable ASCII"};
    const auto same = [&](const auto& header) {
      return lower_case(header.first) == lower_case(wanted.name);
    };
    std::erase_if(request.headers, same);  // create's own wins over the profile's
    request.headers.emplace_back(wanted.name, std::move(text));
  }
  return std::nullopt;
}

std::optional<Unfillable> append_content(const Create& create, TemplateValues& values,
                                         HttpRequest& request) {
  if (create.body) {
    request.headers.emplace_back("Content-Type", "application/json");
    if (auto unfillable = create.body->append_open(values, request.body)) return unfillable;
    request.body = closed_body(std::move(request.body), {}, {});
    return std::nullopt;
  }
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  for (const auto& field : create.form) {
    if (!request.body.empty()) request.body.push_back('&');
    if (auto unfillable = append_query_text(field.name, values, request.body)) return unfillable;
    request.body.push_back('=');
    if (auto unfillable = append_query_text(field.value, values, request.body)) return unfillable;
  }
  return std::nullopt;
}

/// The window is of no account: read_profile() lets no create use it.
TimeSpan nowhen(const Operation& operation) { return {operation.created_at, operation.created_at}; }

CreateAnswer unclear(CreateAnswer answer, Finding finding) {
  answer.result = Result::unclear;
  answer.finding = std::move(finding);
  return answer;
}

/// A success answer shows one credit, or it is not understood. Whose it is, is told by its key
/// alone; `where` may still say that it is no credit.
CreateAnswer read_credit(const Profile& profile, const Operation& operation, const HttpAnswer& from,
                         CreateAnswer answer) {
  if (!is_json(from.header("content-type")))
    return unclear(std::move(answer), Unintelligible{"an answer that is not JSON"});
  const auto parsed = json::read(from.body);
  if (!parsed.document) return unclear(std::move(answer), Unintelligible{parsed.why});
  TemplateValues values(operation, nowhen(operation), profile.credits.amount.exponents);
  std::optional<CreditRules> filled;
  if (const auto unfillable = fill(profile.credits, values, filled))
    return unclear(std::move(answer), MissingContext{unfillable->missing});
  auto rules = filled ? *std::move(filled) : profile.credits;
  rules.at = profile.create->credit_at;
  const Sought sought{to_string(operation.id), operation.currency, operation.account_id};
  auto rows = read_rows(rules, parsed.document->root(), sought);
  if (!rows.why.empty()) return unclear(std::move(answer), Unintelligible{rows.why});
  if (!rows.credits.empty()) {
    answer.result = Result::credit;
    answer.finding = Found{std::move(rows.credits)};
    return answer;
  }
  rules.where.clear();
  const auto anybody = read_rows(rules, parsed.document->root(), sought);
  const bool ours = !anybody.credits.empty() || !anybody.why.empty();
  answer.result = ours || anybody.rows == 0 ? Result::unclear : Result::foreign_credit;
  answer.finding = Unintelligible{answer.result == Result::foreign_credit
                                      ? "the answer shows a credit with another key"
                                      : "the answer shows no credit"};
  return answer;
}

bool is_documented(const NotProcessed& rule, const HttpAnswer& answer) {
  return rule.status == answer.status &&
         (rule.with_header.empty() || has_header(answer, lower_case(rule.with_header)));
}

Finding finding_of_status(const CreateAnswer& answer) {
  const auto why = "status " + std::to_string(answer.http_status);
  using Kind = ProviderSignal::Kind;
  if (answer.signal.kind == Kind::throttled) return Throttled{answer.signal.retry_after};
  if (answer.signal.kind == Kind::no_answer) return NoAnswer{why};
  return Unintelligible{why + ", which the profile does not declare"};
}

CreateAnswer read_answer(const Profile& profile, const Operation& operation,
                         const HttpAnswer& from) {
  const auto& create = *profile.create;
  const auto& documented = profile.guarantees.not_processed;
  const auto listed = [&](const std::vector<int>& statuses) {
    return std::find(statuses.begin(), statuses.end(), from.status) != statuses.end();
  };
  CreateAnswer answer;
  answer.http_status = from.status;
  answer.signal = signal_of(from);
  answer.finding = Refused{from.status};
  if (answer.signal.kind == ProviderSignal::Kind::refused_401) {
    answer.result = Result::unauthorised;
  } else if (answer.signal.kind == ProviderSignal::Kind::refused_403) {
    answer.result = Result::forbidden;
  } else if (listed(create.success)) {
    return read_credit(profile, operation, from, std::move(answer));
  } else if (listed(create.refused)) {
    answer.result = Result::refused_for_good;
  } else if (std::any_of(documented.begin(), documented.end(),
                         [&](const NotProcessed& rule) { return is_documented(rule, from); })) {
    answer.result = Result::not_processed;
    answer.not_before = retry_after_of(from);
    answer.finding = Throttled{answer.not_before};
  } else {
    answer.finding = finding_of_status(answer);
  }
  return answer;
}

Reason reason_of(const CreateAnswer& answer) {
  switch (answer.result) {
    case Result::not_processed:
      return Reason::not_processed;
    case Result::refused_for_good:
      return Reason::create_refused;
    case Result::foreign_credit:
      return Reason::foreign_credit;
    case Result::unauthorised:
    case Result::forbidden:
      return Reason::refused;
    case Result::not_sent:
      return Reason::unreachable;
    case Result::credit:
    case Result::unclear:
      break;
  }
  const auto finding = word(answer.finding);
  if (finding == "throttled") return Reason::throttled;
  return finding == "no-answer" ? Reason::no_answer : Reason::unintelligible;
}

}  // namespace

std::variant<HttpRequest, Unfillable> write_create(const Profile& profile,
                                                   const Operation& operation) {
  const auto& create = *profile.create;
  TemplateValues values(operation, nowhen(operation), profile.credits.amount.exponents);
  HttpRequest request;
  request.method = HttpMethod::post;
  request.headers = profile.headers;
  request.own_connection = true;
  request.url = profile.base_url;
  while (request.url.ends_with('/')) request.url.pop_back();
  if (auto unfillable = append_path(create.path, values, request.url))
    return *std::move(unfillable);
  if (auto unfillable = append_headers(create, values, request)) return *std::move(unfillable);
  if (auto unfillable = append_content(create, values, request)) return *std::move(unfillable);
  return request;
}

CreateAnswer read_created(const Profile& profile, const Operation& operation,
                          const HttpReply& reply) {
  if (const auto* answer = std::get_if<HttpAnswer>(&reply))
    return read_answer(profile, operation, *answer);
  const auto& failure = std::get<HttpFailure>(reply);
  using Kind = ProviderSignal::Kind;
  CreateAnswer answer;
  answer.result = failure.sent ? Result::unclear : Result::not_sent;
  answer.signal = {failure.sent ? Kind::no_answer : Kind::unreachable};
  if (failure.sent)
    answer.finding = NoAnswer{failure.why};
  else
    answer.finding = Unreachable{failure.why};
  return answer;
}

Verdict judge_create(const Operation& operation, const CreateAnswer& answer,
                     const Guarantees& promised, DatabaseTime as_of) {
  Verdict verdict{Decision::unknown, reason_of(answer)};
  // Nothing gives up here: that is for looks, of which this is none.
  if (answer.result == CreateResult::credit)
    verdict = judge(operation, answer.finding, promised, {}, {}, ProviderCondition::normal, as_of);
  if (answer.result == CreateResult::refused_for_good)
    verdict.decision = Decision::needs_reconciliation;
  if (verdict.decision == Decision::unknown)
    verdict.look_no_later_than = operation.submit_by + promised.settle_time() + 1s;
  return verdict;
}

}  // namespace reconciled
