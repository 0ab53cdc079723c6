// SPDX-License-Identifier: Apache-2.0
#include "daemon/settings_checks.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "sql/connection_string.hpp"

namespace reconciled::checks {
namespace {

constexpr std::size_t kMostOfAName = 63;  // PostgreSQL cuts longer identifiers, in silence
constexpr std::size_t kMostOfAPath = 4095;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view kLettersAndDigits = "abcdefghijklmnopqrstuvwxyz_0123456789";

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char byte) { return byte >= 0x20 && byte != 0x7f; });
}

bool is_plain_identifier(std::string_view text) {
  return !text.empty() && text.size() <= kMostOfAName &&
         kLetters.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(kLettersAndDigits) == std::string_view::npos;
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() && text.front() != '0';
}

}  // namespace

std::string instance(std::string_view text) {
  // application_name holds no more, and PostgreSQL replaces anything but printable ASCII.
  const bool fits = !text.empty() && text.size() <= kMostOfAName &&
                    std::all_of(text.begin(), text.end(),
                                [](unsigned char byte) { return byte > 0x20 && byte < 0x7f; });
  return fits ? "" : "must be 1 to 63 printable ASCII characters without blanks";
}

std::string database_uri(std::string_view text) {
  if (text.empty()) return "is empty: give a libpq URI or keywords";
  if (!is_printable(text)) return "holds a control character";
  const auto scheme = text.find("://");
  if (scheme != std::string_view::npos && text.starts_with("postgres")) {
    const auto authority =
        text.substr(scheme + 3, text.find_first_of("/?", scheme + 3) - scheme - 3);
    if (std::count(authority.begin(), authority.end(), '@') > 1)
      return "holds more than one @: write those of the user name or password as %40";
  }
  if (sql::connection_string({.uri = std::string(text)}).has_error())
    return "cannot be read as a libpq URI or as keywords";
  return "";
}

std::string path(std::string_view text) {
  if (text.empty()) return "is empty: give a path, or remove the key";
  if (!is_printable(text) || text.size() > kMostOfAPath) return "is no path";
  return "";
}

std::string credential_name(std::string_view text) {
  auto fault = path(text);
  if (!fault.empty() || text.starts_with('/')) return fault;
  if (text.find('/') != std::string_view::npos || text == "." || text == "..")
    return "must be an absolute path or the name of a credential, which has no slash";
  return "";
}

std::string schema(std::string_view text) {
  if (!is_plain_identifier(text))
    return "must be 1 to 63 of a to z, 0 to 9 and _, not starting with a digit";
  return text.starts_with("pg_") ? "must not start with pg_, which PostgreSQL keeps for itself"
                                 : "";
}

std::string base_url(std::string_view text) {
  const std::string_view scheme = text.starts_with("https://")  ? "https://"
                                  : text.starts_with("http://") ? "http://"
                                                                : "";
  if (scheme.empty()) return "must start with https:// or http://";
  const auto rest = text.substr(scheme.size());
  if (!is_printable(text) || text.find(' ') != std::string_view::npos || rest.empty() ||
      rest.starts_with('/') || rest.starts_with(':'))
    return "is no URL with a host";
  if (rest.substr(0, rest.find('/')).find('@') != std::string_view::npos)
    return "must not hold a user or password: use provider.credential_file";
  if (rest.find_first_of("?#") != std::string_view::npos)
    return "must not hold a query or fragment: the profile adds the query";
  return "";
}

std::string function_name(std::string_view text) {
  const auto dot = text.find('.');
  const bool fits = dot == std::string_view::npos ? is_plain_identifier(text)
                                                  : is_plain_identifier(text.substr(0, dot)) &&
                                                        is_plain_identifier(text.substr(dot + 1));
  return fits ? "" : "must be a function's name, with its schema before a dot where it needs one";
}

std::string listen_address(std::string_view text) {
  if (text.empty()) return "";
  const auto colon = text.rfind(':');
  const bool has_port = colon != std::string_view::npos && colon + 1 < text.size() && colon > 0 &&
                        is_port(text.substr(colon + 1));
  const auto host = text.substr(0, has_port ? colon : 0);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const bool plain = !host.empty() && host.find_first_of(":[]/ ") == std::string_view::npos;
  return is_printable(text) && (bracketed || plain)
             ? ""
             : "must be HOST:PORT like 127.0.0.1:9464 or [::1]:9464, or \"\" for off";
}

}  // namespace reconciled::checks
