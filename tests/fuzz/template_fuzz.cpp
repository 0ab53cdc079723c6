// SPDX-License-Identifier: Apache-2.0
// A template on the first line, the operation's provider_context behind it: what a value holds
// never changes where a request goes.
#include <algorithm>
#include <string>

#include "reconcile/template.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;
using fuzz::require;

namespace {

std::string written(const Template& parsed) {
  constexpr std::string_view kFormats[] = {"", ":epoch", ":rfc3339", ":date"};
  std::string text;
  for (const auto& part : parsed.parts()) {
    if (const auto* literal = std::get_if<std::string>(&part)) text += *literal;
    if (const auto* value = std::get_if<Template::Value>(&part))
      text.append("{")
          .append(value->name)
          .append(kFormats[static_cast<std::size_t>(value->format)]) += "}";
  }
  return text;
}

std::string percent_decoded(std::string_view url) {
  std::string text;
  for (std::size_t at = 0; at < url.size(); ++at) {
    if (url[at] != '%') {
      text.push_back(url[at]);
      continue;
    }
    require(at + 2 < url.size(), "two digits follow a percent sign");
    text.push_back(static_cast<char>(std::stoi(std::string(url.substr(at + 1, 2)), nullptr, 16)));
    at += 2;
  }
  return text;
}

bool has_dots(std::string_view path) {
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const auto segment = percent_decoded(path.substr(0, end));
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

void check_query(const Template& parsed, TemplateValues& values) {
  std::string url;
  std::string plain;
  const bool fits = !append_query_text(parsed, values, url);
  require(fits == !append_text(parsed, values, plain), "a missing value is missing everywhere");
  if (!fits) return;
  require(url.find_first_of("&=?#/ \r\n") == std::string::npos, "a query's text stays one text");
  require(percent_decoded(url) == plain, "what is encoded is encoded once");
}

void check_path(const Template& parsed, TemplateValues& values) {
  if (!fault_of_path(parsed).empty()) return;
  std::string url;
  if (append_path(parsed, values, url)) return;
  require(url.starts_with('/'), "a path begins with a slash");
  require(url.find_first_of("?# \\\r\n") == std::string::npos, "a path stays a path");
  require(!has_dots(url), "a path leads nowhere else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto rest = fuzz::text_of(data, size);
  const auto text = fuzz::take_line(rest);
  const auto result = Template::parse(text);
  const auto* parsed = std::get_if<Template>(&result);
  if (parsed == nullptr) {
    require(!std::get<std::string>(result).empty(), "a template that is refused has a reason");
    return 0;
  }
  require(written(*parsed) == text, "a template that is read says what was written");
  auto operation = samples::operation();
  operation.provider_context = rest;
  operation.account_id = rest.substr(0, std::min<std::size_t>(rest.size(), 40));
  const ExponentOverrides exponents;
  TemplateValues values(operation, {operation.created_at, samples::kAsOf}, exponents);
  check_query(*parsed, values);
  check_path(*parsed, values);
  return 0;
}
