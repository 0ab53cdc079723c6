// SPDX-License-Identifier: Apache-2.0
// Creating again, as one walk: ask the database, send once, see what came (design §6).
#pragma once

#include <functional>
#include <memory>

#include "reconcile/creator.hpp"
#include "recovery/attempt.hpp"

namespace reconciled {

/// What came of an attempt. Without an answer nothing was sent, and the lookup's verdict stands.
struct Attempt {
  std::optional<CreateAnswer> answer;
  std::string why_not;              ///< a permit's hindrance or decision, or why none was asked for
  std::optional<sql::Error> error;  ///< of the database, if that is what stood in the way
};

class Resubmission {
 public:
  /// `store` must outlive the attempts.
  Resubmission(std::shared_ptr<AttemptStore> store, std::shared_ptr<Creator> creator,
               AttemptTerms terms);

  /// One attempt for an operation whose lookup may_attempt(). `stopping`: asked before each send,
  /// for a shutdown. The references must outlive the coroutine, which must not be cancelled: once
  /// it has begun to send, only its lease may end it.
  Awaitable<Attempt> attempt(const Lease& lease, const Look& look,
                             const std::function<bool()>& stopping);

 private:
  Awaitable<CreateAnswer> send(const Lease& lease, const HttpRequest& request,
                               SteadyTime start_before, const std::function<bool()>& stopping);
  Awaitable<bool> may_send_again(const Lease& lease);
  Awaitable<std::string> deferred(const Lease& lease, const sql::Error& error);

  const std::shared_ptr<AttemptStore> store_;
  const std::shared_ptr<Creator> creator_;
  const AttemptTerms terms_;
};

}  // namespace reconciled
