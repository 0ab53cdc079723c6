// SPDX-License-Identifier: Apache-2.0
#include "reconcile/profile_reader.hpp"

#include <algorithm>

#include "reconcile/money.hpp"
#include "reconcile/profile_parts.hpp"

namespace reconciled {
namespace {

constexpr std::size_t kMostNameLetters = 64;
constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
constexpr std::string_view kTokenLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~";
constexpr std::string_view kOwnHeaders[] = {
    "authorization", "connection",     "content-length",      "content-type", "expect",
    "host",          "keep-alive",     "proxy-authorization", "te",           "transfer-encoding",
    "upgrade",       "accept-encoding"};

bool is_port(std::string_view text) noexcept {
  constexpr std::size_t kMostDigits = 5;
  if (text.empty() || text.size() > kMostDigits) return false;
  int port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    port = port * 10 + (c - '0');
  }
  return port >= 1 && port <= 65535;
}

/// host, host:port or [address]:port.
bool is_authority(std::string_view authority) noexcept {
  constexpr std::string_view kHost =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
  const bool bracketed = authority.starts_with('[');
  const auto end = bracketed ? authority.find(']') : authority.find(':');
  if (bracketed && end == std::string_view::npos) return false;
  const auto host = bracketed ? authority.substr(1, end - 1) : authority.substr(0, end);
  const auto letters = bracketed ? std::string_view("0123456789abcdefABCDEF:.") : kHost;
  if (host.empty() || host.find_first_not_of(letters) != std::string_view::npos) return false;
  const auto rest = authority.substr(bracketed ? end + 1 : host.size());
  return rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)));
}

void read_version(ProfileFields& fields) {
  const auto* node = fields.required("profile");
  if (node != nullptr && (node->kind != yaml::Kind::scalar || node->text != "1"))
    fields.fault(*node, "profile", "must be 1, the only form of a profile that this version knows");
}

std::string read_name(ProfileFields& fields) {
  auto name = fields.text("name");
  if (name.size() > kMostNameLetters || name.find_first_not_of(kNameLetters) != std::string::npos)
    fields.fault(*fields.find("name"), "name",
                 "must be at most 64 lower-case letters, digits, dots, dashes and underscores");
  return name;
}

std::string read_base_url(ProfileFields& fields) {
  auto url = fields.text("base_url");
  const auto fault = url.empty() ? std::string_view{} : fault_of_base_url(url);
  if (!fault.empty()) fields.fault(*fields.find("base_url"), "base_url", std::string(fault));
  return url;
}

/// Reads the mapping under `key` with `read`, which may take more arguments than the fields.
template <class Read>
auto read_section(ProfileFields& fields, std::string_view key, Read read)
    -> decltype(read(fields)) {
  const auto* node = fields.required(key);
  if (node == nullptr) return {};
  ProfileFields section(*node, fields.path_of(key), fields.faults());
  auto result = read(section);
  section.finish();
  return result;
}

std::string fault_of_header(std::string_view name, std::string_view value) {
  if (auto fault = fault_of_header_name(name); !fault.empty()) return fault;
  const bool printable =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!printable) return "must be printable ASCII";
  if (value.find('{') != std::string_view::npos)
    return "is sent as it stands; no template is filled in here";
  return {};
}

}  // namespace

std::string_view fault_of_base_url(std::string_view url) noexcept {
  const bool tls = url.starts_with("https://");
  if (!tls && !url.starts_with("http://")) return "must start with https:// or http://";
  url.remove_prefix(tls ? 8 : 7);
  if (url.find_first_of("?#") != std::string_view::npos) return "must have no query or fragment";
  const auto slash = std::min(url.find('/'), url.size());
  const auto authority = url.substr(0, slash);
  if (authority.find('@') != std::string_view::npos)
    return "must hold no user or password; use provider.credential_file";
  if (!is_authority(authority)) return "must name a host, maybe with a port from 1 to 65535";
  const auto path = url.substr(slash);
  const bool plain = std::all_of(path.begin(), path.end(), [](char c) {
    return c > ' ' && c <= '~' && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
  });
  if (!plain) return "holds a character that must be percent-encoded";
  return {};
}

bool is_header_name(std::string_view name) noexcept {
  return !name.empty() && name.find_first_not_of(kTokenLetters) == std::string_view::npos;
}

std::string fault_of_header_name(std::string_view name) {
  if (!is_header_name(name)) return "is no name of a header";
  const auto folded = lower_case(name);
  if (std::find(std::begin(kOwnHeaders), std::end(kOwnHeaders), folded) != std::end(kOwnHeaders))
    return "is set by reconciled itself; the credential comes from provider.credential_file";
  return {};
}

Auth read_auth(ProfileFields& auth) {
  constexpr Auth::Kind kKinds[] = {Auth::Kind::bearer, Auth::Kind::basic, Auth::Kind::header,
                                   Auth::Kind::none};
  Auth result;
  if (const auto kind = auth.word("kind", {"bearer", "basic", "header", "none"}))
    result.kind = kKinds[*kind];
  if (result.kind != Auth::Kind::header) return result;
  result.header_name = auth.text("name");
  if (!result.header_name.empty() && !is_header_name(result.header_name))
    auth.fault(*auth.find("name"), "name", "is no name of a header");
  return result;
}

std::vector<std::pair<std::string, std::string>> read_headers(ProfileFields& headers) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& entry : headers.node().entries) {
    headers.find(entry.key);
    const auto value = scalar_text(entry.value, headers.path_of(entry.key), headers.faults());
    if (!value) continue;
    auto fault = fault_of_header(entry.key, *value);
    const bool twice = std::any_of(result.begin(), result.end(), [&](const auto& header) {
      return lower_case(header.first) == lower_case(entry.key);
    });
    if (twice) fault = "names a header a second time";
    if (!fault.empty())
      headers.faults().push_back({entry.at, headers.path_of(entry.key), std::move(fault)});
    else
      result.emplace_back(entry.key, *value);
  }
  return result;
}

std::variant<Profile, std::vector<yaml::Fault>> read_profile(std::string_view yaml) {
  auto document = yaml::read(yaml);
  auto& faults = document.faults;
  if (document.root.kind != yaml::Kind::mapping && !faults.empty()) return std::move(faults);
  ProfileFields fields(document.root, {}, faults);
  Profile profile;
  read_version(fields);
  profile.name = read_name(fields);
  profile.describes = fields.optional_text("describes").value_or("");
  profile.base_url = read_base_url(fields);
  profile.auth = read_section(fields, "auth", read_auth);
  if (fields.has("headers")) profile.headers = read_section(fields, "headers", read_headers);
  profile.lookup = read_section(fields, "lookup", read_lookup);
  profile.credits = read_section(fields, "credits", [&](ProfileFields& credits) {
    return read_credit_rules(credits, profile.lookup);
  });
  profile.guarantees = read_section(fields, "guarantees", read_guarantees);
  if (fields.has("create"))
    profile.create = read_section(fields, "create", [&](ProfileFields& create) {
      return read_create(create, profile.guarantees);
    });
  fields.finish();
  if (faults.empty()) return profile;
  std::stable_sort(faults.begin(), faults.end(),
                   [](const yaml::Fault& a, const yaml::Fault& b) { return a.at < b.at; });
  return std::move(faults);
}

}  // namespace reconciled
