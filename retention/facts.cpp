// SPDX-License-Identifier: Apache-2.0
#include "retention/facts.hpp"

#include <fmt/format.h>

namespace reconciled {
namespace {

constexpr char kOwner[] = "reconciled_owner";

void judge_trigger(std::vector<Refusal>& refusals, const TriggerFact& fact,
                   const std::string& schema) {
  switch (fact.firing) {
    case Firing::missing:
      refusals.emplace_back(TriggerMissing{fact.table, fact.trigger});
      return;
    case Firing::other_columns:
      refusals.emplace_back(
          TriggerOnOtherColumns{fact.table, fact.trigger, schema, fact.arguments});
      return;
    case Firing::disabled:
      refusals.emplace_back(TriggerDisabled{fact.table, fact.trigger});
      return;
    case Firing::not_always:
      refusals.emplace_back(TriggerNotAlways{fact.table, fact.trigger});
      return;
    case Firing::always:
      return;
  }
}

void judge_function(std::vector<Refusal>& refusals, const FunctionFact& fact) {
  const auto changed = [&](std::string what) {
    refusals.emplace_back(FunctionChanged{fact.function, std::move(what)});
  };
  if (!fact.found) {
    refusals.emplace_back(FunctionMissing{fact.function});
    return;
  }
  if (fact.sha256 != fact.expected_sha256) changed("its text");
  if (fact.owner != kOwner) changed(fmt::format("its owner ({})", fact.owner));
  if (!fact.security_definer) changed("SECURITY DEFINER");
  if (!fact.own_search_path) changed("its search_path or another setting of it");
}

}  // namespace

std::vector<Refusal> judge_mark(const MarkFacts& facts, const std::string& schema) {
  std::vector<Refusal> refusals;
  for (const auto& trigger : facts.triggers) judge_trigger(refusals, trigger, schema);
  for (const auto& function : facts.functions) judge_function(refusals, function);
  if (!facts.found)
    refusals.emplace_back(MarkMissing{schema});
  else if (!facts.may_raise)
    refusals.emplace_back(MarkNotWritable{schema, "reconciled_retention may not update it"});
  return refusals;
}

std::vector<Refusal> judge_server(const ServerFacts& facts, const std::optional<Identity>& first) {
  std::vector<Refusal> refusals;
  if (facts.in_recovery) refusals.emplace_back(InRecovery{});
  if (first && first->system_identifier != facts.system_identifier)
    refusals.emplace_back(OtherServer{first->system_identifier, facts.system_identifier});
  if (first && first->database != facts.database)
    refusals.emplace_back(OtherDatabase{first->database, facts.database});
  return refusals;
}

std::vector<Refusal> judge_clocks(const std::optional<ClockReading>& last, const ClockReading& now,
                                  Duration largest_clock_step) {
  std::vector<Refusal> refusals;
  if (const auto apart = host_difference(now); exceeds(apart, largest_clock_step))
    refusals.emplace_back(HostClockApart{apart, largest_clock_step});
  if (!last) return refusals;
  if (const auto step = step_between(*last, now); exceeds(step, largest_clock_step))
    refusals.emplace_back(ClockStepped{step, largest_clock_step});
  return refusals;
}

}  // namespace reconciled
