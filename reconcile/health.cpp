// SPDX-License-Identifier: Apache-2.0
#include "reconcile/health.hpp"

#include <algorithm>

#include "reconcile/retry_after.hpp"

namespace reconciled {
namespace {

using Kind = ProviderSignal::Kind;

void add_once(std::vector<OperationId>& row, const OperationId& operation) {
  if (std::ranges::find(row, operation) == row.end()) row.push_back(operation);
}

}  // namespace

std::optional<int> ProviderHealth::allowance(SteadyTime now) const noexcept {
  if (!open_) return std::nullopt;
  return !probe_ && now >= probe_at_ ? 1 : 0;
}

std::optional<SteadyTime> ProviderHealth::next_change(SteadyTime now) const noexcept {
  if (!open_ || probe_ || now >= probe_at_) return std::nullopt;
  return probe_at_;
}

void ProviderHealth::started(const OperationId& operation, SteadyTime now) {
  if (allowance(now) != 1) return;
  probe_ = operation;
  last_probed_ = operation;
}

void ProviderHealth::probe_not_sent(SteadyTime now) noexcept {
  if (!open_) return;
  probe_.reset();
  last_probed_.reset();
  probe_at_ = std::max(probe_at_, now + wait_);
}

std::optional<ProviderHealth::Transition> ProviderHealth::note(const OperationId& operation,
                                                               const ProviderSignal& signal,
                                                               SteadyTime now) {
  if (signal.kind == Kind::not_asked) {
    if (probe_ == operation) probe_not_sent(now);
    return std::nullopt;
  }
  remember(operation, signal.kind == Kind::answered);
  if (!open_) return note_closed(operation, signal, now);
  if (probe_ == operation) return note_probe(signal, now);
  if (signal.kind == Kind::throttled) {
    probe_at_ = std::max(probe_at_, now + clamp_retry_after(signal.retry_after, longest_pause_));
  }
  return std::nullopt;
}

std::optional<ProviderHealth::Transition> ProviderHealth::note_closed(const OperationId& operation,
                                                                      const ProviderSignal& signal,
                                                                      SteadyTime now) {
  if (signal.kind == Kind::answered) {
    close();
    return std::nullopt;
  }
  if (signal.kind == Kind::throttled) {
    probe_at_ = now + clamp_retry_after(signal.retry_after, longest_pause_);
  } else {
    if (!enough_failures(operation, signal.kind)) return std::nullopt;
    probe_at_ = now + wait_;
  }
  open_ = signal.kind;
  // Not the one that was throttled or failed just now, if there is another.
  last_probed_ = operation;
  return Transition{.available = false, .why = signal.kind};
}

std::optional<ProviderHealth::Transition> ProviderHealth::note_probe(const ProviderSignal& signal,
                                                                     SteadyTime now) {
  probe_.reset();
  if (signal.kind == Kind::answered) {
    close();
    return Transition{.available = true, .why = Kind::answered};
  }
  open_ = signal.kind;
  if (signal.kind == Kind::throttled) {
    probe_at_ = now + clamp_retry_after(signal.retry_after, longest_pause_);
  } else {
    wait_ = std::min(wait_ * 2, kLongestWait);
    probe_at_ = now + wait_;
  }
  return std::nullopt;
}

/// A failure of an operation that is already in the row says nothing new about the provider.
bool ProviderHealth::enough_failures(const OperationId& operation, Kind kind) {
  add_once(failed_, operation);
  if (kind == Kind::refused_403) {
    add_once(forbidden_, operation);
  } else {
    forbidden_.clear();
  }
  return kind == Kind::refused_401 || forbidden_.size() >= kForbiddenToOpen ||
         failed_.size() >= kFailuresToOpen;
}

void ProviderHealth::close() noexcept {
  open_.reset();
  wait_ = kFirstWait;
  failed_.clear();
  forbidden_.clear();
  last_probed_.reset();
}

void ProviderHealth::remember(const OperationId& operation, bool answered) {
  ++sequence_;
  if (answered) {
    last_answered_ = sequence_;
    failures_.erase(operation);
    return;
  }
  // Full: begin again rather than keep an order. What is forgotten gives up later, not wrongly.
  if (failures_.size() >= kRemembered && !failures_.contains(operation)) failures_.clear();
  auto& failures = failures_[operation];
  if (failures.last != 0) failures.before = failures.last;
  failures.last = sequence_;
}

ProviderCondition ProviderHealth::condition(const OperationId& operation) const {
  if (open_ && open_ != Kind::throttled) return ProviderCondition::down;
  const auto known = failures_.find(operation);
  // Its own answer would have erased it, so an answer since then was somebody else's.
  const bool others =
      known != failures_.end() && known->second.before && last_answered_ > *known->second.before;
  return others ? ProviderCondition::answers_others : ProviderCondition::normal;
}

}  // namespace reconciled
