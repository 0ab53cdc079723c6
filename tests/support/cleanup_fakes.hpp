// SPDX-License-Identifier: Apache-2.0
// What a sweep told the edge, as words, for tests.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "retention/events.hpp"

namespace reconciled::test {

struct FakeCleanupEvents final : CleanupEvents {
  void swept(const SweepCounts& counts) override {
    last = counts;
    consumptions += counts.consumptions;
    idempotency_records += counts.idempotency_records;
    ++sweeps;
  }
  void refused(const Refusal& refusal) override {
    keys.push_back(key_of(refusal));
    texts.push_back(explain(refusal));
  }
  void permitted() override { ++permissions; }
  void clock_step(Duration difference) override { steps.push_back(difference); }
  void answer_lost(const LostAnswer& answer) override {
    lost.push_back(answer.user_id + ' ' + answer.endpoint + ' ' + answer.idempotency_key);
  }
  void sweep_defect(const std::string& what) override { defects.push_back(what); }

  std::optional<SweepCounts> last;
  std::int64_t consumptions = 0, idempotency_records = 0;
  int sweeps = 0, permissions = 0;
  std::vector<std::string> keys, texts, lost, defects;
  std::vector<Duration> steps;
};

}  // namespace reconciled::test
