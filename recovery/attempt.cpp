// SPDX-License-Identifier: Apache-2.0
#include "recovery/attempt.hpp"

#include <algorithm>

namespace reconciled {
namespace {

std::optional<Duration> key_life(const AttemptTerms& terms) {
  const auto& retention = terms.guarantees.key_retention;
  if (retention.kind == KeyRetention::Kind::permanent) return std::nullopt;
  if (retention.kind != KeyRetention::Kind::finite) return Duration::zero();
  return std::max(retention.length - terms.provider_clock_margin, Duration::zero());
}

}  // namespace

bool may_attempt(const Look& look, const Verdict& verdict) noexcept {
  return std::holds_alternative<Absent>(look.finding) && verdict.decision == Decision::unknown &&
         verdict.reason == Reason::absent_so_far;
}

PermitRequest plan_permit(const Lease& lease, const Look& look, const AttemptTerms& terms) {
  return {lease.ownership(),
          lease.as_of,
          terms.guarantees.settle_time(),
          terms.create_timeout + terms.record_time + terms.lease_margin,
          key_life(terms),
          R"({"finding":"absent","http_status":)" + std::to_string(look.http_status) +
              R"(,"pages":)" + std::to_string(look.pages) + "}"};
}

SteadyTime create_ends(const Lease& lease, const AttemptTerms& terms, SteadyTime now) noexcept {
  return std::min(now + terms.create_timeout, lease.work_until - terms.record_time);
}

AttemptSends::Next AttemptSends::after(CreateResult result) noexcept {
  if (result == CreateResult::not_sent && resends_ < kResendsMost) {
    ++resends_;
    return Next::send_again;
  }
  if (result == CreateResult::unauthorised && !refreshed_) {
    refreshed_ = true;
    return Next::refresh_credential;
  }
  return Next::done;
}

}  // namespace reconciled
