// SPDX-License-Identifier: Apache-2.0
#include "daemon/time_line.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace reconciled {
namespace {

constexpr std::size_t kFactColumn = 16;
constexpr std::size_t kWhatColumn = 27;

std::string text(const NamedRow& row, std::string_view name) { return printable(row.text(name)); }

std::string fact(std::string_view name, const std::string& what) {
  return fmt::format("{:<16}{}\n", name, wrapped(what, kFactColumn));
}

/// "in 40s", "5m ago".
std::string distance(const NamedRow& row, std::string_view name) {
  const auto at = row.time(name);
  const auto as_of = row.time("as_of");
  if (!at || !as_of) return "";
  return *at > *as_of ? fmt::format(" (in {})", rough(*at - *as_of))
                      : fmt::format(" ({} ago)", rough(*as_of - *at));
}

std::string with_reason(const NamedRow& row) {
  auto words = text(row, "decision");
  if (!row.is_null("reason")) words += " (" + text(row, "reason") + ")";
  if (!row.is_null("provider_reference")) words += ", reference " + text(row, "provider_reference");
  return words;
}

std::string because(const NamedRow& row) {
  return row.is_null("why") ? "" : ": " + text(row, "why");
}

/// What came back: finding, status, pages, duration.
std::string answer(const NamedRow& row) {
  auto words = row.is_null("finding") ? "the provider was not asked" : text(row, "finding");
  if (!row.is_null("http_status")) words += ", status " + text(row, "http_status");
  if (const auto pages = row.text("pages"); !pages.empty() && pages != "0" && pages != "1")
    words += fmt::format(", {} pages", pages);
  if (const auto took = row.duration("duration"))
    words += fmt::format(", {}ms", std::chrono::ceil<std::chrono::milliseconds>(*took).count());
  return words;
}

std::string person(const NamedRow& row) {
  return fmt::format("{} (database user {})", row.is_null("actor") ? "?" : text(row, "actor"),
                     row.is_null("login") ? "?" : text(row, "login"));
}

/// One row of evidence in words.
TimeLine::Said said(const NamedRow& row) {
  const auto step = row.text("step");
  const auto by =
      fmt::format(" by {}, version {}", text(row, "instance"), row.text("owner_version"));
  const auto decided = with_reason(row);
  if (step == "lookup") return {"looked up" + by + ": " + answer(row) + because(row), decided};
  if (step == "late")
    return {"looked up late by " + text(row, "instance") + ": " + answer(row) + because(row),
            decided};
  if (step == "recheck")
    return {"sent back to be looked at by " + person(row) + because(row),
            "Unknown, to be looked at again"};
  if (step == "resolution")
    return {"resolved by " + person(row) + "; asked before: " + answer(row) + because(row),
            decided};
  if (step == "executor") return {"reported by the service" + because(row), decided};
  return {printable(step) + by + because(row), decided};
}

}  // namespace

std::string operation_text(const NamedRow& row) {
  const auto optional = [&](std::string_view name) {
    return row.is_null(name) ? std::string("none") : text(row, name);
  };
  return fact("operation", text(row, "operation_id")) +
         fact("status", text(row, "status") + ", version " + text(row, "owner_version")) +
         fact("credit", fmt::format("{} {} to account {}", text(row, "amount"),
                                    text(row, "currency"), text(row, "account_id"))) +
         fact("caller", text(row, "caller_id")) +
         fact("grant", text(row, "issuer") + "/" + text(row, "grant_id")) +
         fact("submitted until", row.time_text("submit_by") + distance(row, "submit_by")) +
         fact("reference", optional("provider_reference"));
}

std::string TimeLine::begin(const NamedRow& operation) {
  return fmt::format("\n{:<20} {:>5} {}\n", "TIME", "AFTER", "WHAT") +
         entry(operation, "created_at", {"admitted for " + text(operation, "caller_id"), ""});
}

std::string TimeLine::add(const NamedRow& evidence) {
  return entry(evidence, "observed_at", said(evidence));
}

std::string TimeLine::entry(const NamedRow& row, std::string_view time_column, const Said& said) {
  const auto at = row.time(time_column);
  const auto after = at && before_ ? rough(*at - *before_) : "";
  before_ = at;
  auto lines = fmt::format("{:<20} {:>5} {}\n", row.time_text(time_column), after,
                           wrapped(said.what, kWhatColumn));
  if (!said.decided.empty())
    lines += std::string(kWhatColumn, ' ') + wrapped("-> " + said.decided, kWhatColumn + 3) + "\n";
  return lines;
}

std::string TimeLine::end(const NamedRow& row) {
  const auto status = row.text("status");
  const auto id = row.text("operation_id");
  const auto lease = row.time_text("lease_until") + distance(row, "lease_until");
  const bool ahead = row.time("lease_until") > row.time("as_of");
  std::string next = "nothing: this is final";
  if (status == "NeedsReconciliation")
    next = fmt::format(
        "a person decides: `reconciled recheck {}`, or `reconciled resolve {} --as "
        "Succeeded|Failed --reason TEXT --expect-version {}`",
        id, id, row.text("owner_version"));
  if (status == "Admitted" || status == "Unknown") {
    if (!ahead)
      next = "due since " + lease;
    else if (!row.is_null("owner_token"))
      next = "in flight, its lease ends " + lease;
    else
      next = "the next look is due " + lease;
  }
  return "\n" + fact("next", next);
}

}  // namespace reconciled
