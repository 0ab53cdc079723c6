// SPDX-License-Identifier: Apache-2.0
// What recovery tells the edge. Inner code decides and returns; logging, metrics and systemd are
// the daemon's business.
#pragma once

#include <string>

#include "reconcile/create.hpp"
#include "reconcile/finding.hpp"
#include "reconcile/verdict.hpp"
#include "recovery/lease.hpp"
#include "sql/error.hpp"

namespace reconciled {

struct Events {
  virtual ~Events() = default;

  virtual void taken_over(const Lease& lease) = 0;
  virtual void recorded(const Lease& lease, const Look& look, const Verdict& verdict) = 0;
  /// A write of ours matched no row: somebody else owns the operation by now, or has decided it.
  virtual void ownership_lost(const Lease& lease, const Verdict& verdict) = 0;
  /// The database refused to record this row's verdict; the others of its batch are recorded.
  virtual void record_refused(const Ownership& owned, const sql::Error& error) = 0;
  /// A create was sent, or was about to be: `answer` says what came of it. Told before it is
  /// recorded.
  virtual void resubmitted(const Lease& lease, const CreateAnswer& answer) = 0;
  /// Creating again is off for every daemon of the database: what was recorded for this operation
  /// turned it off, or (`tripped_now` false) an attempt found it off.
  virtual void resubmission_off(const Lease& lease, bool tripped_now) = 0;
  virtual void handed_back(std::size_t operations) = 0;
  virtual void provider_unavailable(ProviderSignal::Kind why) = 0;
  virtual void provider_available() = 0;
  /// After each call of the store. Repeats are normal; the edge tells the change.
  virtual void database_failed(const sql::Error& error) = 0;
  virtual void database_works() = 0;
  /// A defect of ours inside one journey. The operation is left to its lease.
  virtual void defect(const OperationId& operation, const std::string& what) = 0;
  /// The pass loop has made a turn, also one that ended in a reported failure: feeds the watchdog.
  virtual void turned(std::size_t in_flight) = 0;
};

}  // namespace reconciled
