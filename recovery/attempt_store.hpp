// SPDX-License-Identifier: Apache-2.0
// The narrow door to what decides in the database about creating again (design §6).
#pragma once

#include <optional>
#include <string>

#include "base/awaitable.hpp"
#include "recovery/lease.hpp"
#include "sql/error.hpp"

namespace reconciled {

struct PermitRequest {
  Ownership owned;
  DatabaseTime as_of;                ///< of the lookup that found nothing
  Duration settle_time{};            ///< since an earlier create of the same operation
  Duration lease_needed{};           ///< this much of the lease must be left
  std::optional<Duration> key_life;  ///< from created_at on; nullopt: for ever
  std::string lookup;                ///< JSON object for the evidence
};

struct Permit {
  bool may_send = false;   ///< eligibility and Sending are in evidence, committed
  Duration send_within{};  ///< then: how long the beginning of the send may wait
  /// Else what stood in the way: switched-off, denied, window-over, key-forgotten, not-before,
  /// settling, lease-short, ownership-lost; or empty, if the eligibility function was asked.
  std::string hindrance;
  std::string decision;  ///< of the eligibility function: Allowed, Denied, CannotDetermine
};

struct AttemptStore {
  virtual ~AttemptStore() = default;

  /// Decides in one statement. An error of the database, 40001 included, permits nothing; after
  /// `in_doubt` the evidence may say Sending all the same.
  virtual Awaitable<sql::Result<Permit>> permit(PermitRequest request) = 0;
  /// Writes down that the eligibility function came to no decision.
  virtual Awaitable<sql::Result<bool>> defer(Ownership owned, std::string sqlstate) = 0;
  /// Asked again before a second send of one attempt.
  virtual Awaitable<sql::Result<bool>> may_send_again(Ownership owned) = 0;
};

}  // namespace reconciled
