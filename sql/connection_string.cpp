// SPDX-License-Identifier: Apache-2.0
#include "sql/connection_string.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <map>
#include <memory>

namespace reconciled::sql {
namespace {

using Keywords = std::map<std::string, std::string>;

constexpr std::int64_t kShortestConnectTimeout = 2;  // libpq raises a shorter one to this
constexpr char kUnreadable[] = "database.uri cannot be read as a libpq URI or as keywords";

std::optional<Keywords> parse(std::string_view uri) {
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(
      PQconninfoParse(std::string(uri).c_str(), &message), &PQconninfoFree);
  // The message repeats parts of the text, a password among them: it is not shown.
  if (message != nullptr) PQfreemem(message);
  if (!parsed) return std::nullopt;
  Keywords keywords;
  for (const auto* option = parsed.get(); option->keyword != nullptr; ++option)
    if (option->val != nullptr) keywords[option->keyword] = option->val;
  return keywords;
}

std::string to_text(const Keywords& keywords) {
  std::string text;
  for (const auto& [keyword, value] : keywords) {
    if (!text.empty()) text += ' ';
    text += keyword + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') text += '\\';
      text += c;
    }
    text += '\'';
  }
  return text;
}

}  // namespace

Result<std::string> connection_string(const ConnectionOptions& options) {
  auto keywords = parse(options.uri);
  if (!keywords)
    return Failure{ExitCode::configuration, kUnreadable,
                   "see the libpq manual, Connection Strings"};
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options.connect_timeout).count();
  (*keywords)["application_name"] = options.application_name;
  (*keywords)["target_session_attrs"] = options.target_session_attrs;
  (*keywords)["connect_timeout"] =
      std::to_string(std::max<std::int64_t>(seconds, kShortestConnectTimeout));
  (*keywords)["client_encoding"] = "UTF8";
  // A peer that vanished without a word must not hold a session for hours; what the operator wrote
  // wins.
  keywords->try_emplace("keepalives_idle", "15");
  keywords->try_emplace("keepalives_interval", "5");
  keywords->try_emplace("keepalives_count", "3");
  keywords->try_emplace("tcp_user_timeout", "30000");
  if (options.password) (*keywords)["password"] = *options.password;
  return to_text(*keywords);
}

std::string masked(std::string_view uri) {
  auto keywords = parse(uri);
  if (!keywords) return "***";
  bool secret = false;
  for (const auto* keyword : {"password", "sslpassword"}) {
    const auto found = keywords->find(keyword);
    if (found == keywords->end()) continue;
    found->second = "***";
    secret = true;
  }
  return secret ? to_text(*keywords) : std::string(uri);
}

bool has_password(std::string_view uri) {
  const auto keywords = parse(uri);
  return keywords && keywords->contains("password");
}

}  // namespace reconciled::sql
