// SPDX-License-Identifier: Apache-2.0
#include "retention/look.hpp"

#include <iterator>

namespace reconciled {
namespace {

void append(std::vector<Refusal>& refusals, std::vector<Refusal> more) {
  refusals.insert(refusals.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

}  // namespace

Awaitable<CleanupLook> look_around(CleanupStore& store, const HostClocks& clocks,
                                   const CleanupTerms& terms) {
  CleanupLook look;
  look.reading.host_before = clocks.wall();
  look.reading.steady_before = clocks.steady();
  auto server = co_await store.server();
  look.reading.steady_after = clocks.steady();
  look.reading.host_after = clocks.wall();
  if (!server) {
    look.troubles.push_back(trouble("looking at the database", server.error()));
    co_return look;
  }
  look.reading.database = server->now;
  look.server = std::move(*server);
  if (!terms.consumptions) co_return look;

  auto mark = co_await store.mark();
  if (mark)
    look.mark = std::move(*mark);
  else
    look.troubles.push_back(trouble("reading the mark", mark.error()));
  if (!terms.require_bound) co_return look;

  auto bound = co_await store.bound();
  if (bound)
    look.bound = std::move(*bound);
  else
    look.troubles.push_back(trouble("reading who may admit", bound.error()));
  co_return look;
}

std::vector<Refusal> judge_look(const CleanupLook& look, const CleanupMemory& memory,
                                const CleanupTerms& terms) {
  auto refusals = look.troubles;
  if (!look.server) return refusals;
  append(refusals, judge_server(*look.server, memory.first_seen));
  append(refusals, judge_clocks(memory.in_step, look.reading, terms.timings.largest_clock_step));
  if (look.mark) append(refusals, judge_mark(*look.mark, look.server->schema));
  if (look.bound) append(refusals, judge_bound(*look.bound, terms.timings));
  return refusals;
}

Duration remember(CleanupMemory& memory, const CleanupLook& look, const CleanupTerms& terms) {
  if (!look.server) return Duration::zero();
  if (!memory.first_seen)
    memory.first_seen = Identity{look.server->system_identifier, look.server->database};
  const auto step = memory.in_step ? step_between(*memory.in_step, look.reading) : Duration::zero();
  const auto most = terms.timings.largest_clock_step;
  if (exceeds(step, most)) return step;
  if (!exceeds(host_difference(look.reading), most)) memory.in_step = look.reading;
  return Duration::zero();
}

Refusal trouble(std::string_view doing, const sql::Error& error) {
  return DatabaseTrouble{std::string(doing), error.sqlstate, sql::to_string(error)};
}

}  // namespace reconciled
