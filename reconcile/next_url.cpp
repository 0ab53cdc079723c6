// SPDX-License-Identifier: Apache-2.0
#include "reconcile/next_url.hpp"

#include <algorithm>

#include "reconcile/money.hpp"

namespace reconciled {
namespace {

using Resolved = std::variant<std::string, NotFollowed>;

constexpr std::string_view kSchemeEnd = "://";
constexpr std::size_t kMostUrlBytes = std::size_t{8} * 1024;

/// An absolute URL in two: "https://host:443", and what follows from the path on.
struct Parts {
  std::string origin;  // scheme and host in lower case, the port always written out
  std::string_view rest;
  std::string_view written;  // the origin as it stands there
};

std::variant<Parts, NotFollowed> parts_of(std::string_view url) {
  const auto scheme_end = url.find(kSchemeEnd);
  const auto scheme = lower_case(url.substr(0, scheme_end));
  if (scheme != "https" && scheme != "http") return NotFollowed{"its scheme is not http or https"};
  const auto start = scheme_end + kSchemeEnd.size();
  const auto end = std::min(url.find_first_of("/?", start), url.size());
  const auto authority = url.substr(start, end - start);
  if (authority.find('@') != std::string_view::npos) return NotFollowed{"it names a user"};
  const auto host_end = authority.starts_with('[') ? authority.find(']') : 0;
  if (authority.empty() || host_end == std::string_view::npos)
    return NotFollowed{"it names no host"};
  const auto colon = authority.find(':', host_end);
  auto origin = scheme + std::string(kSchemeEnd) + lower_case(authority.substr(0, colon));
  const auto port = colon == std::string_view::npos ? "" : authority.substr(colon + 1);
  const std::string usual = scheme == "https" ? "443" : "80";
  origin += ":" + (port.empty() ? usual : std::string(port));
  return Parts{std::move(origin), url.substr(end), url.substr(0, end)};
}

/// What may stand in a URL as it is sent (RFC 3986, percent signs included).
bool is_sendable(std::string_view url) noexcept {
  constexpr std::string_view kNever = "\"<>\\^`{|}";
  return std::all_of(url.begin(), url.end(), [&](char c) {
    return c > ' ' && c <= '~' && kNever.find(c) == std::string_view::npos;
  });
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    auto segment = lower_case(path.substr(0, end));
    for (auto at = segment.find("%2e"); at != std::string::npos; at = segment.find("%2e"))
      segment.replace(at, 3, ".");
    if (segment == "." || segment == "..") return true;
    path.remove_prefix(end == path.size() ? end : end + 1);
  }
  return false;
}

Resolved resolve_relative(const Parts& base, std::string_view reference) {
  const auto origin = std::string(base.written);
  const auto path = base.rest.substr(0, base.rest.find('?'));
  if (reference.starts_with('?')) return origin + std::string(path) + std::string(reference);
  if (has_dot_segment(reference.substr(0, reference.find('?'))))
    return NotFollowed{"it has a segment . or .."};
  if (reference.starts_with('/')) return origin + std::string(reference);
  const auto folder = path.substr(0, path.rfind('/') + 1);
  return origin + (folder.empty() ? "/" : std::string(folder)) + std::string(reference);
}

/// True for "https://…", "mailto:…": a scheme before anything else (RFC 3986, 3.1).
bool has_scheme(std::string_view reference) noexcept {
  const auto colon = reference.find(':');
  return colon != std::string_view::npos && colon < reference.find_first_of("/?");
}

/// Walks along one Link header's value.
class LinkReader {
 public:
  explicit LinkReader(std::string_view text) : rest_(text) {}

  /// False if the header is broken. `target` is set by a link to the next page, which is then true.
  bool read(bool& is_next, std::string& target) {
    is_next = false;
    if (!take('<')) return false;
    const auto close = rest_.find('>');
    if (close == std::string_view::npos) return false;
    target = rest_.substr(0, close);
    rest_.remove_prefix(close + 1);
    bool rel_seen = false;
    bool anchored = false;
    while (take(';')) {
      std::string name;
      std::string value;
      if (!read_parameter(name, value)) return false;
      if (name == "rel" && !std::exchange(rel_seen, true)) is_next = names_next(value);
      anchored = anchored || name == "anchor";
    }
    is_next = is_next && !anchored;
    return at_end() || take(',');
  }

  /// Also passes what RFC 9110 allows between elements: blanks and empty elements.
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  void skip_empty_elements() {
    while (take(',')) {
    }
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  bool take(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view take_until(std::string_view ends) {
    const auto taken = rest_.substr(0, std::min(rest_.find_first_of(ends), rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool read_parameter(std::string& name, std::string& value) {
    skip_blanks();
    name = lower_case(take_until(" \t=;,"));
    if (!take('=')) return true;  // also the empty parameter of "; ;"
    if (!take('"')) {
      value = take_until(" \t;,");
      return !name.empty();
    }
    while (!rest_.empty() && !rest_.starts_with('"')) {
      if (rest_.starts_with('\\')) rest_.remove_prefix(1);
      if (rest_.empty()) break;
      value.push_back(rest_.front());
      rest_.remove_prefix(1);
    }
    return take('"') && !name.empty();
  }
  static bool names_next(std::string_view relations) {
    while (!relations.empty()) {
      const auto end = std::min(relations.find_first_of(" \t"), relations.size());
      if (lower_case(relations.substr(0, end)) == "next") return true;
      relations.remove_prefix(end == relations.size() ? end : end + 1);
    }
    return false;
  }

  std::string_view rest_;
};

}  // namespace

Resolved resolve_same_origin(std::string_view base, std::string_view reference) {
  reference = reference.substr(0, reference.find('#'));
  if (reference.empty()) return NotFollowed{"it is empty"};
  if (reference.size() > kMostUrlBytes) return NotFollowed{"it is longer than 8 KiB"};
  if (!is_sendable(reference)) return NotFollowed{"it holds a character that no URL has"};
  const auto ours = parts_of(base);
  if (const auto* fault = std::get_if<NotFollowed>(&ours)) return *fault;
  const auto& own = std::get<Parts>(ours);
  auto absolute = std::string(reference);
  if (reference.starts_with("//"))
    absolute.insert(0, base.substr(0, base.find(kSchemeEnd) + 1));
  else if (!has_scheme(reference))
    return resolve_relative(own, reference);
  const auto theirs = parts_of(absolute);
  if (const auto* fault = std::get_if<NotFollowed>(&theirs)) return *fault;
  const auto& target = std::get<Parts>(theirs);
  if (target.origin != own.origin) return NotFollowed{"it leads to another scheme, host or port"};
  if (has_dot_segment(target.rest.substr(0, target.rest.find('?'))))
    return NotFollowed{"it has a segment . or .."};
  return std::string(own.written) + (target.rest.starts_with('/') ? "" : "/") +
         std::string(target.rest);
}

NextLink next_link(const std::vector<std::pair<std::string, std::string>>& headers) {
  NextLink result = NoNextLink{};
  for (const auto& [name, value] : headers) {
    if (name != "link") continue;
    LinkReader links(value);
    for (links.skip_empty_elements(); !links.at_end(); links.skip_empty_elements()) {
      bool is_next = false;
      std::string target;
      if (!links.read(is_next, target)) return NotFollowed{"a Link header that is broken"};
      if (!is_next) continue;
      const auto* earlier = std::get_if<std::string>(&result);
      if (earlier != nullptr && *earlier != target)
        return NotFollowed{"Link headers that name two next pages"};
      result = std::move(target);
    }
  }
  return result;
}

}  // namespace reconciled
