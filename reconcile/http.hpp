// SPDX-License-Identifier: Apache-2.0
// One HTTP exchange as the rest of the room sees it: plain values, so that paging and reading are
// pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reconciled {

enum class HttpMethod { get, post };

/// A request without its credential: the client adds that last, so that no request can be logged
/// with it.
struct HttpRequest {
  HttpMethod method = HttpMethod::get;
  std::string url;                                           ///< absolute, percent-encoded
  std::vector<std::pair<std::string, std::string>> headers;  ///< in profile order
  std::string body;                                          ///< of a POST; application/json
  /// On a new connection, used for nothing else: what fails on it is never sent a second time.
  bool own_connection = false;
  friend bool operator==(const HttpRequest&, const HttpRequest&) = default;
};

struct HttpAnswer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>>
      headers;       ///< names in lower case, in order of arrival
  std::string body;  ///< decompressed

  /// The first header of this (lower-case) name; empty if there is none.
  std::string_view header(std::string_view name) const noexcept;
};

/// No usable answer. `sent`: some of the request may have reached the provider; false only if that
/// is established (name not resolved, connection or TLS handshake failed).
struct HttpFailure {
  bool sent = true;
  std::string why;  ///< without the URL's query and without secrets
};

using HttpReply = std::variant<HttpAnswer, HttpFailure>;

}  // namespace reconciled
