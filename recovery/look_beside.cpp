// SPDX-License-Identifier: Apache-2.0
// A lookup that owns nothing, inside the pass's limits.
#include "recovery/pass.hpp"

namespace reconciled {

/// Only where nobody else wants the place: what is due comes first, and a breaker's probe is never
/// such a look.
bool Pass::may_look_beside() const {
  return !stopping_ && health_.available() && looking_ < terms_->max_in_flight &&
         terms_->rate_limit->available(SteadyClock::now(), Duration::zero()) > 0;
}

Awaitable<std::optional<Look>> Pass::look_beside(Operation operation, DatabaseTime as_of) {
  if (!may_look_beside()) co_return std::nullopt;
  const auto terms = terms_;
  const auto until = SteadyClock::now() + terms->lookup_timeout;
  ++looking_;
  health_.started(operation.id, SteadyClock::now());
  std::optional<Look> look;
  std::exception_ptr why;
  try {
    look = co_await terms->provider->look_up(operation, as_of, until);
  } catch (...) {
    why = std::current_exception();
  }
  --looking_;
  if (starved_) wake();
  if (why) std::rethrow_exception(why);
  const auto change = health_.note(operation.id, look->signal, SteadyClock::now());
  if (change && change->available) events_.provider_available();
  if (change && !change->available) events_.provider_unavailable(change->why);
  if (change) wake();
  co_return look;
}

}  // namespace reconciled
