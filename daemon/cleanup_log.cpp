// SPDX-License-Identifier: Apache-2.0
#include "daemon/cleanup_log.hpp"

namespace reconciled {

void CleanupLog::swept(const SweepCounts& counts) {
  const auto deleted = [this](std::string_view table, std::int64_t rows) {
    metrics_.counter("reconciled_cleanup_deleted_total", {table})
        .Increment(static_cast<double>(rows));
  };
  deleted("grant_consumptions", counts.consumptions);
  deleted("idempotency_records", counts.idempotency_records);
  metrics_.gauge("reconciled_cleanup_permitted").Set(refusing_ ? 0 : 1);
  if (counts.cut_off) gauges_.cut_off(*counts.cut_off);
  const bool idle = counts.consumptions == 0 && counts.idempotency_records == 0;
  log_.write(idle ? LogLevel::debug : LogLevel::info, "cleanup_swept",
             idle ? "nothing was to be deleted" : "rows that nobody can still need were deleted",
             {{"grant_consumptions", counts.consumptions},
              {"idempotency_records", counts.idempotency_records},
              {"cut_off", counts.cut_off ? rfc3339(*counts.cut_off) : ""},
              {"instance", instance_}});
}

void CleanupLog::refused(const Refusal& refusal) {
  refusing_ = true;
  metrics_.gauge("reconciled_cleanup_permitted").Set(0);
  log_.write(LogLevel::warn, "cleanup_refused", "nothing is deleted: " + explain(refusal),
             {{"instance", instance_}});
}

void CleanupLog::permitted() {
  refusing_ = false;
  log_.write(LogLevel::info, "cleanup_swept", "nothing refuses the cleanup any more",
             {{"instance", instance_}});
}

void CleanupLog::clock_step(Duration difference) {
  log_.write(LogLevel::warn, "clock_step",
             "the database's clock moved by itself, against this host's steady clock",
             {{"difference_us", std::int64_t{difference.count()}}, {"instance", instance_}});
}

void CleanupLog::answer_lost(const LostAnswer& answer) {
  log_.write(LogLevel::warn, "idempotency_answer_lost",
             "this request was applied, and its answer was never stored: its expired record has "
             "been moved to idempotency_answers_lost",
             {{"user_id", answer.user_id},
              {"endpoint", answer.endpoint},
              {"idempotency_key", answer.idempotency_key},
              {"instance", instance_}});
}

void CleanupLog::sweep_defect(const std::string& what) {
  log_.write(LogLevel::error, "defect",
             "a defect of reconciled, please report it: " + what +
                 "; this sweep has ended, recovery goes on",
             {{"instance", instance_}});
}

}  // namespace reconciled
