// SPDX-License-Identifier: Apache-2.0
#include "retention/refusal.hpp"

#include <fmt/format.h>

namespace reconciled {
namespace {

constexpr char kInstall[] =
    "run `psql -f install.sql` of this version as a superuser, or adopt.sql for a table of the "
    "service's own; -v schema=NAME for another schema than reconciled";

/// The subject of a refusal, what is wrong with it, and the remedy.
struct Words {
  std::string key, what, remedy;
};

std::string enable(const std::string& table, const std::string& trigger) {
  return fmt::format("as its owner: ALTER TABLE {} ENABLE ALWAYS TRIGGER {}", table, trigger);
}

/// No more digits than a person needs.
std::string rounded(Duration difference) {
  const auto size = std::chrono::abs(difference);
  return to_string(size < 1min ? Duration{std::chrono::round<std::chrono::milliseconds>(size)}
                               : Duration{std::chrono::round<std::chrono::seconds>(size)});
}

std::string ahead_or_behind(Duration difference) {
  return fmt::format("{} {}", rounded(difference),
                     difference > Duration::zero() ? "ahead of" : "behind");
}

Words words(const TriggerMissing& of) {
  return {"trigger-missing " + of.table + ' ' + of.trigger,
          fmt::format("{}: trigger {} is missing, so nothing refuses a second use of a grant whose "
                      "row was deleted",
                      of.table, of.trigger),
          kInstall};
}

Words words(const TriggerOnOtherColumns& of) {
  auto what = fmt::format(
      "{}: trigger {} is not on the columns that {}.grant_consumptions shows as retain_until and "
      "operation_id, so it may let through a second use of a grant whose row was deleted",
      of.table, of.trigger, of.schema);
  auto remedy = of.arguments.empty()
                    ? fmt::format(
                          "let the view {}.grant_consumptions show plain columns of the "
                          "table there, no expressions, and run adopt.sql again",
                          of.schema)
                    : fmt::format(
                          "as its owner: CREATE OR REPLACE TRIGGER {0} AFTER INSERT ON {1} "
                          "FOR EACH ROW EXECUTE FUNCTION {2}.refuse_claim_below_mark({3}); "
                          "ALTER TABLE {1} ENABLE ALWAYS TRIGGER {0}",
                          of.trigger, of.table, of.schema, of.arguments);
  return {"trigger-on-other-columns " + of.table + ' ' + of.trigger, std::move(what),
          std::move(remedy)};
}

Words words(const TriggerDisabled& of) {
  return {"trigger-disabled " + of.table + ' ' + of.trigger,
          fmt::format("{}: trigger {} is disabled", of.table, of.trigger),
          enable(of.table, of.trigger)};
}

Words words(const TriggerNotAlways& of) {
  return {"trigger-not-always " + of.table + ' ' + of.trigger,
          fmt::format("{}: trigger {} is not ENABLE ALWAYS, so what a replication role inserts "
                      "passes it by",
                      of.table, of.trigger),
          enable(of.table, of.trigger)};
}

Words words(const FunctionMissing& of) {
  return {"function-missing " + of.function, fmt::format("function {}() is missing", of.function),
          kInstall};
}

Words words(const FunctionChanged& of) {
  return {"function-changed " + of.function + ' ' + of.what,
          fmt::format("function {}() is not the one that this version installs: {} differs",
                      of.function, of.what),
          kInstall};
}

Words words(const MarkMissing& of) {
  return {"mark-missing", fmt::format("{}.cleanup_mark has no row", of.schema), kInstall};
}

Words words(const MarkNotWritable& of) {
  return {"mark-not-writable",
          fmt::format("{}.cleanup_mark cannot be raised: {}", of.schema, of.why),
          fmt::format("as its owner: GRANT SELECT, UPDATE (cut_off) ON {}.cleanup_mark TO "
                      "reconciled_retention",
                      of.schema)};
}

Words words(const InRecovery&) {
  return {"in-recovery", "the server is in recovery: it is a standby",
          "name the primary in database.uri, or promote this server"};
}

Words words(const OtherServer& of) {
  return {"other-server " + of.is,
          fmt::format("the server's system identifier was {} when reconciled started and is {}: "
                      "this is another server, or one restored from elsewhere",
                      of.was, of.is),
          "make sure that database.uri leads to the right server, then restart reconciled"};
}

Words words(const OtherDatabase& of) {
  return {"other-database " + of.is,
          fmt::format("the database was {} when reconciled started and is {}", of.was, of.is),
          "make sure that database.uri leads to the right database, then restart reconciled"};
}

Words words(const HostClockApart& of) {
  return {"host-clock",
          fmt::format("the database's clock is {} this host's, more than largest_clock_step ({})",
                      ahead_or_behind(of.difference), to_string(of.at_most)),
          "set both clocks right, for example with chrony; the cleanup then goes on by itself"};
}

Words words(const ClockStepped& of) {
  return {
      "clock-step",
      fmt::format("the database's clock jumped {} by {} while reconciled was running, more than "
                  "largest_clock_step ({})",
                  of.difference > Duration::zero() ? "ahead" : "back", rounded(of.difference),
                  to_string(of.at_most)),
      "check the database's time: if it is right now, restart reconciled; if it is wrong, set "
      "it right, and the cleanup goes on by itself"};
}

Words words(const NoTransactionTimeout& of) {
  return {
      "no-transaction-timeout",
      fmt::format("PostgreSQL {} has no transaction_timeout, so "
                  "nothing ends a transaction that admits",
                  of.server_version / 10000),
      "upgrade to PostgreSQL 17 or later; without retention.require_bound this is no more than a "
      "warning"};
}

Words words(const RoleUnbounded& of) {
  return {"role-unbounded " + of.role,
          fmt::format("role {} may admit, and its transaction_timeout has "
                      "no end",
                      of.role),
          fmt::format("ALTER ROLE {} SET transaction_timeout = '30s' (a setting of a group role is "
                      "not inherited), then end its sessions: they keep the old one, and no check "
                      "sees it",
                      of.role)};
}

Words words(const RoleBoundTooLong& of) {
  return {"role-bound-too-long " + of.role,
          fmt::format("cleanup_margin is {} and must be more than {}: the "
                      "transaction_timeout of role {} ({}) + replication_wait_bound + "
                      "largest_clock_step",
                      to_string(of.margin), to_string(of.needed), of.role, to_string(of.bound)),
          fmt::format("lower transaction_timeout of {} and end its sessions, which keep the old "
                      "one unseen; or raise cleanup_margin in the file and in contract_timings",
                      of.role)};
}

Words words(const StandbyWaitUnbounded& of) {
  return {"standby-wait",
          fmt::format("synchronous_standby_names is '{}', and "
                      "replication_wait_bound is 0s: a commit may wait for a standby without end",
                      of.standby_names),
          "set timings.replication_wait_bound, in the file and in contract_timings, to the longest "
          "such wait"};
}

Words words(const DatabaseTrouble& of) {
  const char* remedy = "it is tried again after retention.interval";
  if (of.sqlstate == "42501")
    remedy =
        "GRANT reconciled_retention to the login role of database.uri, and run install.sql of this "
        "version if it is there already";
  if (of.sqlstate == "25006")
    remedy =
        "the server is in recovery or read-only: name the primary in database.uri, or promote this "
        "server";
  return {"database " + of.doing + ' ' + of.sqlstate, fmt::format("{}: {}", of.doing, of.error),
          remedy};
}

Words words_of(const Refusal& refusal) {
  return std::visit([](const auto& one) { return words(one); }, refusal);
}

}  // namespace

std::string explain(const Refusal& refusal) {
  const auto words = words_of(refusal);
  return fmt::format("{} ({})", words.what, words.remedy);
}

std::string key_of(const Refusal& refusal) { return words_of(refusal).key; }

}  // namespace reconciled
