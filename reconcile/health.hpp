// SPDX-License-Identifier: Apache-2.0
// The provider's breaker: whether asking makes sense at all, for everybody (design §4, §5). Pure:
// the time is handed in, and nothing here waits or logs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/judge.hpp"

namespace reconciled {

/// Closed: anything may be asked. Open: nothing until the next probe is due, then one probe at a
/// time; whatever comes back from it, or nothing, the breaker moves on.
///
/// Opens: after kFailuresToOpen failures in a row of different operations; at once for a 401
/// (nobody's credential is better) and for a throttling, until its Retry-After is over; after
/// kForbiddenToOpen answers of 403 in a row to different operations. Any answer closes it when it
/// is the probe's, and else begins the row again: an answer that is odd for one operation is an
/// answer all the same.
///
/// What comes back while open from lookups that were already on their way moves nothing, but a
/// throttling lengthens the pause.
class ProviderHealth {
 public:
  static constexpr std::size_t kFailuresToOpen = 5;
  static constexpr std::size_t kForbiddenToOpen = 3;
  static constexpr Duration kFirstWait = 1s;
  static constexpr Duration kLongestWait = 30s;
  static constexpr std::size_t kRemembered = 4096;  ///< operations whose failures are remembered

  /// Something to log once: provider_unavailable or provider_available.
  struct Transition {
    bool available = false;
    ProviderSignal::Kind why{};  ///< what opened it, or `answered`
    friend bool operator==(const Transition&, const Transition&) = default;
  };

  /// `longest_pause`: what a Retry-After may ask for at most (recovery.look_again_at_most).
  explicit ProviderHealth(Duration longest_pause) : longest_pause_(longest_pause) {}

  /// For a reload.
  void set_longest_pause(Duration longest_pause) noexcept { longest_pause_ = longest_pause; }

  bool available() const noexcept { return !open_; }

  /// How many lookups may start now: nullopt for as many as one likes, 1 for a probe, else 0.
  std::optional<int> allowance(SteadyTime now) const noexcept;

  /// When `allowance` may grow by time alone, for sleeping; nullopt if it will not.
  std::optional<SteadyTime> next_change(SteadyTime now) const noexcept;

  /// Told of each lookup before it is sent. While open the first one that is allowed is the probe.
  void started(const OperationId& operation, SteadyTime now);

  /// A probe was allowed and none was sent, or the one sent will never report: nothing else was
  /// due, ownership was lost, the lookup was cancelled. The next one is due after the same wait,
  /// and may be the operation probed last, which may be the only one there is.
  void probe_not_sent(SteadyTime now) noexcept;

  /// Told of each lookup when it came back.
  std::optional<Transition> note(const OperationId& operation, const ProviderSignal& signal,
                                 SteadyTime now);

  /// The operation to leave out of the next probe: it may be the one that breaks the provider.
  const std::optional<OperationId>& last_probed() const noexcept { return last_probed_; }

  /// For judging a lookup of this operation that was just noted. `down` while open, but for a mere
  /// throttling; `answers_others` if since the failure before this one the provider answered
  /// somebody else. A first failure, or one forgotten, is `normal`: it only delays giving up.
  ProviderCondition condition(const OperationId& operation) const;

 private:
  struct Failures {
    std::optional<std::uint64_t> before;  // sequence number of the failure before the last one
    std::uint64_t last = 0;
  };

  std::optional<Transition> note_closed(const OperationId& operation, const ProviderSignal& signal,
                                        SteadyTime now);
  std::optional<Transition> note_probe(const ProviderSignal& signal, SteadyTime now);
  void remember(const OperationId& operation, bool answered);
  bool enough_failures(const OperationId& operation, ProviderSignal::Kind kind);
  void close() noexcept;

  Duration longest_pause_;
  std::optional<ProviderSignal::Kind> open_;  // why
  SteadyTime probe_at_{};
  Duration wait_ = kFirstWait;  // until the probe after the next failure
  std::optional<OperationId> probe_;
  std::optional<OperationId> last_probed_;
  std::vector<OperationId> failed_;     // in a row, each once; at most kFailuresToOpen
  std::vector<OperationId> forbidden_;  // likewise, by 403; at most kForbiddenToOpen
  std::uint64_t sequence_ = 0;
  std::uint64_t last_answered_ = 0;
  std::unordered_map<OperationId, Failures> failures_;
};

}  // namespace reconciled
