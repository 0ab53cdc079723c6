// SPDX-License-Identifier: Apache-2.0
#include "reconcile/template.hpp"

#include <algorithm>

namespace reconciled {
namespace {

struct KnownValue {
  std::string_view name;
  TemplateValue value;
  bool is_time = false;
};

constexpr KnownValue kValues[] = {{"operation_id", TemplateValue::operation_id},
                                  {"account_id", TemplateValue::account_id},
                                  {"amount", TemplateValue::amount},
                                  {"amount_minor", TemplateValue::amount_minor},
                                  {"currency", TemplateValue::currency},
                                  {"currency_lower", TemplateValue::currency_lower},
                                  {"created_at", TemplateValue::created_at, true},
                                  {"window_start", TemplateValue::window_start, true},
                                  {"window_end", TemplateValue::window_end, true}};
constexpr std::string_view kContext = "context.";

/// Reads what stands between the braces into `value`; what is wrong with it, or empty.
std::string read_value(std::string_view written, Template::Value& value) {
  const auto colon = written.find(':');
  const auto name = written.substr(0, colon);
  value.name = name;
  bool is_time = false;
  if (name.starts_with(kContext) && name.size() > kContext.size()) {
    value.value = TemplateValue::context;
  } else {
    const auto* const known =
        std::find_if(std::begin(kValues), std::end(kValues),
                     [&](const KnownValue& candidate) { return candidate.name == name; });
    if (known == std::end(kValues)) return "unknown template value {" + value.name + "}";
    value.value = known->value;
    is_time = known->is_time;
  }
  const auto format = colon == std::string_view::npos ? "" : written.substr(colon + 1);
  const bool is_amount =
      value.value == TemplateValue::amount || value.value == TemplateValue::amount_minor;
  value.number = is_amount && format == "number";
  if (value.number) return {};
  if (!is_time)
    return colon == std::string_view::npos ? "" : "{" + value.name + "} is no time: no format";
  if (format == "epoch") value.format = TimeFormat::epoch;
  if (format == "rfc3339") value.format = TimeFormat::rfc3339;
  if (format == "date") value.format = TimeFormat::date;
  if (value.format != TimeFormat::none) return {};
  return "{" + value.name + "} needs a format, :epoch, :rfc3339 or :date";
}

}  // namespace

std::variant<Template, std::string> Template::parse(std::string_view text) {
  Template result;
  while (!text.empty()) {
    const auto open = std::min(text.find_first_of("{}"), text.size());
    if (open > 0) result.parts_.emplace_back(std::string(text.substr(0, open)));
    text.remove_prefix(open);
    if (text.empty()) break;
    const auto close = text.find('}');
    if (text.front() == '}' || close == std::string_view::npos)
      return std::string("a brace without its partner");
    Value value;
    if (auto fault = read_value(text.substr(1, close - 1), value); !fault.empty()) return fault;
    result.parts_.emplace_back(std::move(value));
    text.remove_prefix(close + 1);
  }
  return result;
}

bool Template::uses(TemplateValue value) const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    const auto* used = std::get_if<Value>(&part);
    return used != nullptr && used->value == value;
  });
}

bool Template::is_literal() const noexcept {
  return std::none_of(parts_.begin(), parts_.end(),
                      [](const Part& part) { return std::holds_alternative<Value>(part); });
}

bool Template::is_number() const noexcept {
  const auto* value = parts_.size() == 1 ? std::get_if<Value>(&parts_.front()) : nullptr;
  return value != nullptr && value->number;
}

std::optional<std::string> TemplateValues::text(const Template::Value& value) {
  std::string text;
  switch (value.value) {
    case TemplateValue::operation_id:
      text = to_string(operation_.id);
      break;
    case TemplateValue::account_id:
      text = operation_.account_id;
      break;
    case TemplateValue::amount:
      return major_amount();
    case TemplateValue::amount_minor:
      return minor_amount();
    case TemplateValue::currency:
      text = operation_.currency;
      break;
    case TemplateValue::currency_lower:
      text = lower_case(operation_.currency);
      break;
    case TemplateValue::created_at:
    case TemplateValue::window_start:
    case TemplateValue::window_end:
      text = written(value);
      break;
    case TemplateValue::context:
      return context(value.name.substr(kContext.size()));
  }
  if (text.empty()) return std::nullopt;
  return text;
}

/// Seconds and days are cut off below; the end of a window must not lose its last one.
std::string TemplateValues::written(const Template::Value& value) const {
  constexpr Duration kDay = 24h;
  constexpr std::size_t kDateLength = 10;
  const bool end = value.value == TemplateValue::window_end;
  auto at = operation_.created_at;
  if (value.value == TemplateValue::window_start) at = asked_.start;
  if (end) at = asked_.end;
  switch (value.format) {
    case TimeFormat::epoch:
      return epoch_seconds(end ? at + (1s - 1us) : at);
    case TimeFormat::date:
      return rfc3339(end ? at + (kDay - 1us) : at).substr(0, kDateLength);
    case TimeFormat::rfc3339:
    case TimeFormat::none:
      break;
  }
  return rfc3339(at);
}

std::vector<TimeSpan> spans_of(const Window& window, DatabaseTime created_at, DatabaseTime as_of,
                               std::size_t at_most) {
  const TimeSpan whole{created_at - window.before, as_of + window.after};
  if (window.span == Duration::zero()) return {whole};
  const auto longest = window.span - 1s;
  std::vector<TimeSpan> parts;
  auto start = whole.start;
  while (parts.size() < at_most) {
    const auto end = std::min(start + longest, whole.end);
    parts.push_back({start, end});
    if (end >= whole.end) break;
    start = end - kSpanOverlap;
  }
  return parts;
}

std::optional<std::string> TemplateValues::context(std::string_view member) {
  if (operation_.provider_context.empty()) return std::nullopt;
  if (!context_) context_ = json::read(operation_.provider_context);
  if (!context_->document) return std::nullopt;
  const auto* node = context_->document->root().find(member);
  const auto text = node == nullptr ? std::nullopt : node->scalar();
  if (!text || text->empty()) return std::nullopt;
  return std::string(*text);
}

/// With the currency's decimals, as most providers want it: 250.10, not 250.1.
std::optional<std::string> TemplateValues::major_amount() const {
  if (!operation_.amount) return std::nullopt;
  return operation_.amount->to_string(minor_exponent(operation_.currency, exponents_).value_or(0));
}

std::optional<std::string> TemplateValues::minor_amount() const {
  const auto exponent = minor_exponent(operation_.currency, exponents_);
  if (!operation_.amount || !exponent) return std::nullopt;
  const auto minor = major_to_minor(*operation_.amount, *exponent);
  if (!minor) return std::nullopt;
  return minor->to_string();
}

}  // namespace reconciled
