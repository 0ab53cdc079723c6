// SPDX-License-Identifier: Apache-2.0
#include "daemon/preview.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "daemon/verb_rows.hpp"

namespace reconciled {
namespace {

constexpr std::size_t kIndent = 2;

void add_text(std::string& json, std::string_view name, std::string_view value) {
  json += fmt::format(",\"{}\":{}", name, value.empty() ? "null" : json_quoted(value));
}

}  // namespace

std::string preview_heading() {
  return fmt::format("{:<36} {:>3} {:<8} {}\n  {}\n", "OPERATION", "AGE", "STATUS", "FINDING",
                     "WOULD RECORD: WHY");
}

std::string preview_line(const Preview& preview) {
  const auto& lease = preview.lease;
  const auto finding = preview.look ? word(preview.look->finding) : "not asked";
  auto line = fmt::format("{:<36} {:>3} {:<8} {}\n", to_string(lease.operation.id),
                          rough(lease.as_of - lease.operation.created_at),
                          printable(preview.status), finding);
  if (!preview.verdict) return line;
  auto would =
      fmt::format("{} ({})", word(preview.verdict->decision), word(preview.verdict->reason));
  if (const auto why = explanation(preview.look->finding); !why.empty())
    would += ": " + printable(why);
  return line + "  " + wrapped(would, kIndent) + "\n";
}

std::string preview_json(const Preview& preview) {
  const auto& lease = preview.lease;
  auto json = fmt::format("{{\"operation_id\":{},\"status\":{},\"owner_version\":{}",
                          json_quoted(to_string(lease.operation.id)), json_quoted(preview.status),
                          lease.owner_version.value);
  add_text(json, "lease_until", rfc3339(lease.due_since));
  add_text(json, "submit_by", rfc3339(lease.operation.submit_by));
  add_text(json, "created_at", rfc3339(lease.operation.created_at));
  add_text(json, "observed_at", rfc3339(lease.as_of));
  add_text(json, "finding", preview.look ? word(preview.look->finding) : "");
  add_text(json, "decision", preview.verdict ? word(preview.verdict->decision) : "");
  add_text(json, "reason", preview.verdict ? word(preview.verdict->reason) : "");
  add_text(json, "provider_reference", preview.verdict ? preview.verdict->reference : "");
  json += fmt::format(",\"http_status\":{}", preview.look && preview.look->http_status != 0
                                                 ? std::to_string(preview.look->http_status)
                                                 : "null");
  json += fmt::format(",\"pages\":{}", preview.look ? preview.look->pages : 0);
  add_text(json, "why", preview.look ? explanation(preview.look->finding) : "");
  return json + "}\n";
}

void PreviewTotals::add(const Preview& preview) {
  ++due_;
  if (preview.verdict)
    ++decided_[preview.verdict->decision];
  else
    ++not_asked_;
}

std::string PreviewTotals::text() const {
  if (due_ == 0) return "nothing is due\n";
  std::string text = fmt::format("{} due", due_);
  const char* separator = ": ";
  for (const auto& [decision, count] : decided_) {
    text += fmt::format("{}{} {}", separator, count, word(decision));
    separator = ", ";
  }
  if (not_asked_ > 0) text += fmt::format("{}{} not asked", separator, not_asked_);
  return text + "; this was a dry run, nothing was written\n";
}

}  // namespace reconciled
