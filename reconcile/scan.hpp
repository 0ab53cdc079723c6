// SPDX-License-Identifier: Apache-2.0
// One lookup as a pure state machine: which request comes next, and what the answers amount to. The
// shell (lookup.cpp) only sends what this says and hands back what came. Complete or inconclusive,
// never wrong (design §5).
#pragma once

#include <memory>
#include <variant>

#include "reconcile/finding.hpp"
#include "reconcile/http.hpp"
#include "reconcile/operation.hpp"

namespace reconciled {

struct Profile;

class Scan {
 public:
  /// Either the next request to send, or the end.
  using Step = std::variant<HttpRequest, Finding>;

  /// `profile` must outlive the scan. `as_of` gives window_end.
  Scan(const Profile& profile, const Operation& operation, DatabaseTime as_of);
  ~Scan();
  Scan(Scan&&) noexcept;
  Scan& operator=(Scan&&) noexcept;

  /// Called once, first.
  Step begin();
  /// Called with the reply to the request of the step before.
  Step next(const HttpReply& reply);
  /// What ends the scan when the local deadline passes before a request could be sent (`sent`
  /// false) or answered.
  Finding out_of_time(bool sent);

  int pages() const noexcept;                     ///< read and understood so far
  int http_status() const noexcept;               ///< of the last answer, 0 for none
  const ProviderSignal& signal() const noexcept;  ///< what the last reply says about the provider

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reconciled
