// SPDX-License-Identifier: Apache-2.0
#include "daemon/event_log.hpp"

#include <fmt/format.h>

#include "daemon/notify.hpp"

namespace reconciled {
namespace {

constexpr Duration kStatusInterval = 1s;

LogLevel level_of(const Verdict& verdict) {
  if (verdict.reason == Reason::duplicate) return LogLevel::error;  // money may have moved twice
  return verdict.decision == Decision::needs_reconciliation ? LogLevel::warn : LogLevel::info;
}

std::string sentence(const Verdict& verdict) {
  switch (verdict.decision) {
    case Decision::succeeded:
      return "the provider holds exactly this credit";
    case Decision::unknown:
      return "not decided yet, will be looked at again";
    case Decision::needs_reconciliation:
      return "a person must look: its evidence says why";
  }
  return "";
}

std::string reason_of(ProviderSignal::Kind why) {
  using Kind = ProviderSignal::Kind;
  switch (why) {
    case Kind::unreachable:
      return "it cannot be reached";
    case Kind::no_answer:
      return "it does not answer";
    case Kind::throttled:
      return "it asks us to wait";
    case Kind::refused_401:
      return "it refuses our credential (401)";
    case Kind::refused_403:
      return "it forbids our requests (403)";
    case Kind::not_asked:
    case Kind::answered:
      break;
  }
  return "";
}

}  // namespace

EventLog::EventLog(Log& log, Metrics& metrics, std::string instance)
    : log_(log), metrics_(metrics), instance_(std::move(instance)) {}

void EventLog::taken_over(const Lease& lease) {
  metrics_.taken_over();
  log_.write(LogLevel::debug, "taken_over", "its lease had run out",
             {{"operation_id", to_string(lease.operation.id)},
              {"owner_version", lease.owner_version.value},
              {"instance", instance_}});
}

void EventLog::recorded(const Lease& lease, const Look& look, const Verdict& verdict) {
  ++recorded_[verdict.decision];
  metrics_.recorded(lease, verdict, SteadyClock::now());
  // An outcome is about money and always told; a look that decided nothing may come in floods.
  const EventName event = "recorded";
  const bool decided = verdict.decision != Decision::unknown;
  log_.write(level_of(verdict), decided ? event : event.repeating(word(verdict.reason)),
             sentence(verdict),
             {{"operation_id", to_string(lease.operation.id)},
              {"owner_version", lease.owner_version.value},
              {"status", std::string(word(verdict.decision))},
              {"reason", std::string(word(verdict.reason))},
              {"finding", std::string(word(look.finding))},
              {"provider_reference", verdict.reference},
              {"http_status", std::int64_t{look.http_status}},
              {"duration_us", std::int64_t{look.duration.count()}},
              {"why", explanation(look.finding)},
              {"instance", instance_}});
}

void EventLog::ownership_lost(const Lease& lease, const Verdict& verdict) {
  metrics_.ownership_lost();
  log_.write(LogLevel::info, "ownership_lost",
             "somebody else owns or has decided this operation; nothing was written",
             {{"operation_id", to_string(lease.operation.id)},
              {"owner_version", lease.owner_version.value},
              {"status", std::string(word(verdict.decision))},
              {"reason", std::string(word(verdict.reason))},
              {"instance", instance_}});
}

void EventLog::record_refused(const Ownership& owned, const sql::Error& error) {
  log_.write(LogLevel::error, "record_refused",
             "the database refuses to record this operation: " + error.message +
                 "; it will be tried again when its lease ends",
             {{"operation_id", to_string(owned.operation_id)},
              {"owner_version", owned.owner_version.value},
              {"sqlstate", error.sqlstate},
              {"instance", instance_}});
}

/// Money may move: never limited.
void EventLog::resubmitted(const Lease& lease, const CreateAnswer& answer) {
  resubmission_off_told_ = false;
  const bool alert =
      answer.result == CreateResult::forbidden || answer.result == CreateResult::foreign_credit;
  log_.write(alert ? LogLevel::error : LogLevel::info, "resubmitted",
             answer.result == CreateResult::not_sent
                 ? "a create was allowed and not sent"
                 : "the credit was asked for again under its key; what came of it is recorded",
             {{"operation_id", to_string(lease.operation.id)},
              {"owner_version", lease.owner_version.value},
              {"finding", std::string(word(answer.finding))},
              {"http_status", std::int64_t{answer.http_status}},
              {"duration_us", std::int64_t{answer.duration.count()}},
              {"why", explanation(answer.finding)},
              {"instance", instance_}});
}

void EventLog::resubmission_off(const Lease& lease, bool tripped_now) {
  if (!tripped_now && resubmission_off_told_) return;
  resubmission_off_told_ = true;
  log_.write(tripped_now ? LogLevel::error : LogLevel::warn, "resubmission_off",
             std::string(tripped_now ? "what was recorded for this operation turns creating again "
                                       "off for every daemon of this database"
                                     : "creating again is off for every daemon of this database") +
                 "; look at resubmission_switch, then `reconciled resubmit --enable --reason TEXT`",
             {{"operation_id", to_string(lease.operation.id)}, {"instance", instance_}});
}

void EventLog::handed_back(std::size_t operations) {
  log_.write(LogLevel::info, "handed_back",
             "stopping: these operations are due at once for the next owner",
             {{"operations", static_cast<std::int64_t>(operations)}, {"instance", instance_}});
}

void EventLog::provider_unavailable(ProviderSignal::Kind why) {
  metrics_.provider_available(false);
  provider_trouble_ = reason_of(why);
  log_.write(LogLevel::warn, "provider_unavailable",
             "the provider is not asked for a while: " + *provider_trouble_ +
                 "; nothing is given up, one probe at a time",
             {{"instance", instance_}});
}

void EventLog::provider_available() {
  metrics_.provider_available(true);
  provider_trouble_.reset();
  log_.write(LogLevel::info, "provider_available", "the provider answers again",
             {{"instance", instance_}});
}

void EventLog::database_failed(const sql::Error& error) {
  metrics_.database_failed(error);
  if (database_trouble_) return;
  database_trouble_ = error.message;
  log_.write(LogLevel::warn, "database_lost",
             "a database call failed, will be tried again: " + error.message,
             {{"sqlstate", error.sqlstate}, {"instance", instance_}});
}

void EventLog::database_works() {
  metrics_.database_works();
  if (!database_trouble_) return;
  database_trouble_.reset();
  log_.write(LogLevel::info, "database_back", "the database answers again",
             {{"instance", instance_}});
}

void EventLog::defect(const OperationId& operation, const std::string& what) {
  log_.write(
      LogLevel::error, "defect",
      "a defect of reconciled, please report it: " + what + "; the operation is left to its lease",
      {{"operation_id", to_string(operation)}, {"instance", instance_}});
}

void EventLog::late_truth(const LateCase& seen, const Look& look, const LateWord& word) {
  const auto& verdict = word.verdict;
  metrics_.late_credit();
  log_.write(LogLevel::error, "late_truth",
             "a credit has appeared for an operation that waits for a person: see `reconciled show`"
             ", and resolve it",
             {{"operation_id", to_string(seen.operation.id)},
              {"owner_version", seen.owner_version.value},
              {"status", std::string("NeedsReconciliation")},
              {"reason", std::string(reconciled::word(verdict.reason))},
              {"finding", std::string(reconciled::word(look.finding))},
              {"provider_reference", verdict.reference},
              {"http_status", std::int64_t{look.http_status}},
              {"duration_us", std::int64_t{look.duration.count()}},
              {"why", explanation(look.finding)},
              {"instance", instance_}});
}

void EventLog::late_defect(const std::string& what) {
  log_.write(LogLevel::error, "defect",
             "a defect of reconciled, please report it: " + what +
                 "; late truth is not looked for until the daemon is started again",
             {{"instance", instance_}});
}

void EventLog::turned(std::size_t in_flight) {
  notify::watchdog();
  metrics_.turned(log_.suppressed(), log_.dropped());
  if (draining_) notify::extend_timeout(*draining_);
  const auto now = SteadyClock::now();
  log_.tell_suppressed(now);
  if (now < status_due_) return;
  auto line = status_line(in_flight);
  if (line == status_) return;
  notify::status(line);
  status_ = std::move(line);
  status_due_ = now + kStatusInterval;
}

std::string EventLog::status_line(std::size_t in_flight) const {
  const auto count = [this](Decision decision) {
    const auto found = recorded_.find(decision);
    return found == recorded_.end() ? 0 : found->second;
  };
  return fmt::format(
      "{}{} in flight; recorded {} Succeeded, {} Unknown, {} NeedsReconciliation; database {}; "
      "provider {}",
      draining_ ? "stopping; " : "", in_flight, count(Decision::succeeded),
      count(Decision::unknown), count(Decision::needs_reconciliation),
      database_trouble_ ? "lost: " + *database_trouble_ : "ok",
      provider_trouble_ ? "not asked: " + *provider_trouble_ : "ok");
}

}  // namespace reconciled
