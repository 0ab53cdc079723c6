// SPDX-License-Identifier: Apache-2.0
// The narrow door to a provider that creates, and the door itself over HTTP (design §6).
#pragma once

#include "base/awaitable.hpp"
#include "reconcile/create.hpp"
#include "reconcile/lookup.hpp"

namespace reconciled {

struct Creator {
  virtual ~Creator() = default;

  /// The request of this operation, the same bytes every time; or what it lacks.
  virtual std::variant<HttpRequest, Unfillable> request(const Operation& operation) const = 0;
  /// Sends it once, on a connection of its own, if it can begin before `start_before`; else it is
  /// not sent. Over by `until`. Never throws for what the provider or the network does. The
  /// references must outlive the coroutine.
  virtual Awaitable<CreateAnswer> create(const Operation& operation, const HttpRequest& request,
                                         SteadyTime start_before, SteadyTime until) = 0;
  /// After a 401: true if another credential than the one refused is used from now on.
  virtual bool refresh_credential() = 0;
};

class HttpCreator final : public Creator {
 public:
  /// The references must outlive the creator; the profile must have a create.
  HttpCreator(const Profile& profile, HttpClient& client, RateLimit& rate_limit,
              HttpProvider::ReadCredential read_credential);

  std::variant<HttpRequest, Unfillable> request(const Operation& operation) const override;
  Awaitable<CreateAnswer> create(const Operation& operation, const HttpRequest& request,
                                 SteadyTime start_before, SteadyTime until) override;
  bool refresh_credential() override;

 private:
  Awaitable<HttpReply> send(const HttpRequest& request, SteadyTime start_before, SteadyTime until);

  const Profile& profile_;
  HttpClient& client_;
  RateLimit& rate_limit_;
  HttpProvider::ReadCredential read_credential_;
};

}  // namespace reconciled
