// SPDX-License-Identifier: Apache-2.0
#include "daemon/verb_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "base/text.hpp"

namespace reconciled {
namespace {

using Kind = ColumnKind;

template <std::size_t A, std::size_t B>
constexpr std::array<Column, A + B> joined(const Column (&first)[A], const Column (&then)[B]) {
  std::array<Column, A + B> all{};
  std::copy(std::begin(first), std::end(first), all.begin());
  std::copy(std::begin(then), std::end(then), all.begin() + A);
  return all;
}

constexpr Column kOperation[] = {
    {"operation_id", Kind::text},      {"issuer", Kind::text},
    {"grant_id", Kind::text},          {"caller_id", Kind::text},
    {"account_id", Kind::text},        {"amount", Kind::text},
    {"currency", Kind::text},          {"status", Kind::text},
    {"owner_version", Kind::number},   {"owner_token", Kind::text},
    {"lease_until", Kind::time},       {"submit_by", Kind::time},
    {"created_at", Kind::time},        {"provider_context", Kind::json},
    {"provider_reference", Kind::text}};

constexpr Column kAsOf[] = {{"as_of", Kind::time}};
constexpr Column kDecided[] = {{"finding", Kind::text},
                               {"reason", Kind::text},
                               {"observed_at", Kind::time},
                               {"as_of", Kind::time}};
constexpr Column kFault[] = {{"fault", Kind::text},   {"step", Kind::text},
                             {"finding", Kind::text}, {"decision", Kind::text},
                             {"reason", Kind::text},  {"observed_at", Kind::time},
                             {"as_of", Kind::time}};
constexpr Column kEvidence[] = {{"evidence_id", Kind::number},
                                {"operation_id", Kind::text},
                                {"owner_version", Kind::number},
                                {"owner_token", Kind::text},
                                {"instance", Kind::text},
                                {"observed_at", Kind::time},
                                {"step", Kind::text},
                                {"finding", Kind::text},
                                {"decision", Kind::text},
                                {"reason", Kind::text},
                                {"provider_reference", Kind::text},
                                {"http_status", Kind::number},
                                {"pages", Kind::number},
                                {"duration", Kind::seconds},
                                {"detail", Kind::json}};
constexpr Column kOutOfDetail[] = {
    {"why", Kind::text}, {"actor", Kind::text}, {"login", Kind::text}};

constexpr auto kListColumns = joined(kOperation, kDecided);
constexpr auto kShowColumns = joined(kOperation, kAsOf);
constexpr auto kCheckColumns = joined(kOperation, kFault);
constexpr auto kTimeLineColumns = joined(kEvidence, kOutOfDetail);

// The years that people and RFC 3339 know.
constexpr Duration kFirst = std::chrono::seconds{-62135596800};
constexpr Duration kLast = std::chrono::seconds{253402300799};

std::optional<Duration> microseconds(std::string_view text) {
  std::int64_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return Duration{count};
}

std::optional<DatabaseTime> moment(std::string_view text) {
  const auto since_epoch = microseconds(text);
  if (!since_epoch || *since_epoch < kFirst || *since_epoch > kLast) return std::nullopt;
  return DatabaseTime{*since_epoch};
}

std::string no_moment(std::string_view text) {
  return text.starts_with('-') ? "before all time" : "after all time";
}

std::string seconds_json(std::string_view text) {
  const auto duration = microseconds(text);
  if (!duration) return "null";
  const auto whole = std::chrono::floor<std::chrono::seconds>(*duration);
  return fmt::format("{}.{:06}", whole.count(), (*duration - whole).count());
}

std::string json_value(std::string_view text, ColumnKind kind) {
  switch (kind) {
    case Kind::number:
    case Kind::json:
      return std::string(text);
    case Kind::seconds:
      return seconds_json(text);
    case Kind::time:
      if (const auto at = moment(text)) return json_quoted(rfc3339(*at));
      return json_quoted(no_moment(text));
    case Kind::text:
      break;
  }
  return json_quoted(text);
}

}  // namespace

std::span<const Column> list_columns() { return kListColumns; }
std::span<const Column> operation_columns() { return kShowColumns; }
std::span<const Column> evidence_columns() { return kEvidence; }
std::span<const Column> time_line_columns() { return kTimeLineColumns; }
std::span<const Column> check_columns() { return kCheckColumns; }

std::string row_json(const sql::Rows& rows, std::size_t row, std::span<const Column> columns) {
  std::string json = "{";
  for (std::size_t at = 0; at < columns.size(); ++at) {
    json += fmt::format("{}\"{}\":", at == 0 ? "" : ",", columns[at].name);
    json += rows.is_null(row, at) ? "null" : json_value(rows.text(row, at), columns[at].kind);
  }
  return json + "}\n";
}

std::size_t NamedRow::index(std::string_view name) const {
  for (std::size_t at = 0; at < columns_.size(); ++at)
    if (columns_[at].name == name) return at;
  throw std::out_of_range("no column " + std::string(name));
}

std::optional<DatabaseTime> NamedRow::time(std::string_view name) const {
  return moment(text(name));
}

std::optional<Duration> NamedRow::duration(std::string_view name) const {
  return microseconds(text(name));
}

std::string NamedRow::time_text(std::string_view name) const {
  if (is_null(name)) return "never";
  const auto at = time(name);
  if (!at) return no_moment(text(name));
  return rfc3339({std::chrono::floor<std::chrono::seconds>(at->since_epoch)});
}

std::string rough(Duration age) {
  const auto seconds =
      std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(age).count());
  if (seconds < 100) return fmt::format("{}s", seconds);
  if (seconds < 6000) return fmt::format("{}m", seconds / 60);
  if (seconds < 172800) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}d", seconds / 86400);
}

std::string age_of(const NamedRow& row, std::string_view since) {
  const auto from = row.time(since);
  const auto as_of = row.time("as_of");
  return from && as_of ? rough(*as_of - *from) : "?";
}

}  // namespace reconciled
