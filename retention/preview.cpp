// SPDX-License-Identifier: Apache-2.0
#include "retention/preview.hpp"

#include "retention/cut_off.hpp"
#include "retention/look.hpp"

namespace reconciled {

Awaitable<CleanupPreview> preview_cleanup(SqlCleanupStore& store, const CleanupTerms& terms) {
  CleanupPreview preview;
  const HostClocks clocks;
  auto look = co_await look_around(store, clocks, terms);
  preview.refusals = judge_look(look, {}, terms);
  preview.mark = std::move(look.mark);
  if (!look.server) co_return preview;
  preview.cut_off = cut_off(look.server->now, terms.timings.cleanup_margin);
  preview.consumptions = co_await store.consumptions_by_day(*preview.cut_off);
  preview.idempotency_records = co_await store.idempotency_records_by_day();
  co_return preview;
}

}  // namespace reconciled
