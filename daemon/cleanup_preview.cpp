// SPDX-License-Identifier: Apache-2.0
#include "daemon/cleanup_preview.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace reconciled {
namespace {

struct Table {
  const char* name;
  const char* key;
  bool enabled;
  const sql::Result<std::vector<DayCount>>& days;
};

template <class Show>
void for_each_table(const CleanupPreview& preview, const RetentionSettings& retention, Show show) {
  show(Table{"grant_consumptions", "retention.consumptions", retention.consumptions,
             preview.consumptions});
  show(Table{"idempotency_records", "retention.idempotency_records", retention.idempotency_records,
             preview.idempotency_records});
}

std::string mark_text(const CleanupPreview& preview) {
  if (!preview.mark || !preview.mark->found) return "unknown";
  return preview.mark->cut_off ? rfc3339(*preview.mark->cut_off) : "-infinity";
}

std::string table_text(const Table& table) {
  if (!table.days)
    return fmt::format("  {}: {}\n", table.name,
                       table.days.error().sqlstate == "42501" ? "not visible to this role"
                                                              : sql::to_string(table.days.error()));
  std::int64_t rows = 0;
  std::string lines;
  for (const auto& day : *table.days) {
    rows += day.rows;
    lines += fmt::format("    {}  {:>10}", day.day, day.rows);
    if (day.answers_lost > 0) lines += fmt::format("  of which answers lost {}", day.answers_lost);
    lines += '\n';
  }
  return fmt::format("  {}: {} {}\n{}", table.name, rows,
                     table.enabled ? "would go" : fmt::format("expired, and {} is off", table.key),
                     lines);
}

std::string json_text(std::string_view key, const std::string& value) {
  return fmt::format(",\"{}\":{}", key, json_quoted(value));
}

}  // namespace

std::string cleanup_text(const CleanupPreview& preview, const RetentionSettings& retention) {
  auto text =
      fmt::format("cleanup: cut-off {}, mark {}\n",
                  preview.cut_off ? rfc3339(*preview.cut_off) : "unknown", mark_text(preview));
  for (const auto& refusal : preview.refusals)
    text += fmt::format("  would refuse: {}\n", explain(refusal));
  if (!preview.cut_off) return text;
  for_each_table(preview, retention, [&](const Table& table) { text += table_text(table); });
  return text;
}

std::string cleanup_json(const CleanupPreview& preview, const RetentionSettings& retention) {
  std::string json = R"({"cleanup":"sweep")";
  json += preview.cut_off ? json_text("cut_off", rfc3339(*preview.cut_off)) : ",\"cut_off\":null";
  json += preview.mark && preview.mark->found ? json_text("mark", mark_text(preview))
                                              : ",\"mark\":null";
  json += fmt::format(",\"permitted\":{}}}\n", preview.refusals.empty());
  for (const auto& refusal : preview.refusals)
    json += R"({"cleanup":"refusal")" + json_text("why", explain(refusal)) + "}\n";
  if (!preview.cut_off) return json;
  for_each_table(preview, retention, [&](const Table& table) {
    json +=
        R"({"cleanup":"table")" + json_text("table", table.name) +
        fmt::format(",\"enabled\":{},\"visible\":{}}}\n", table.enabled, table.days.has_value());
    if (!table.days) return;
    for (const auto& day : *table.days)
      json += R"({"cleanup":"day")" + json_text("table", table.name) + json_text("day", day.day) +
              fmt::format(",\"rows\":{},\"answers_lost\":{}}}\n", day.rows, day.answers_lost);
  });
  return json;
}

}  // namespace reconciled
