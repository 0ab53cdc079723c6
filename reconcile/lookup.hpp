// SPDX-License-Identifier: Apache-2.0
// Asking the provider: the scan decides, the client sends, the rate limit says when.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "reconcile/http_client.hpp"
#include "reconcile/provider.hpp"
#include "reconcile/rate_limit.hpp"
#include "reconcile/scan.hpp"

namespace reconciled {

class HttpProvider : public Provider {
 public:
  /// Reads the credential again from where it came from; nullopt if that cannot be done now.
  using ReadCredential = std::function<std::optional<std::string>()>;

  /// `timeout`: provider.timeout, which bounds a whole lookup, pages and waits included. The
  /// references must outlive the provider.
  HttpProvider(const Profile& profile, HttpClient& client, RateLimit& rate_limit, Duration timeout,
               ReadCredential read_credential);

  /// Whether the provider as a whole is well is the caller's to keep: see Look::signal.
  Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                          SteadyTime until) override;

 private:
  class Exchange;

  const Profile& profile_;
  HttpClient& client_;
  RateLimit& rate_limit_;
  Duration timeout_;
  ReadCredential read_credential_;
};

}  // namespace reconciled
