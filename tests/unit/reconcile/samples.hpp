// SPDX-License-Identifier: Apache-2.0
// An operation and a profile to vary: the set-up that the cases of this room share.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/yaml.hpp"
#include "reconcile/operation.hpp"
#include "reconcile/profile_reader.hpp"

namespace reconciled::samples {

inline constexpr char kKey[] = "6fa459ea-ee8a-4ca4-894e-db77e160355e";

/// 250.00 USD for account A-1, created at 2026-01-02T03:04:05.999999Z.
inline Operation operation(std::string_view amount = "250.00", std::string currency = "USD") {
  return {OperationId{*parse_uuid(kKey)},
          "A-1",
          Decimal::parse(amount),
          std::move(currency),
          DatabaseTime{Duration{1767323045'999'999}},
          DatabaseTime{Duration{1767326645'000'000}},
          R"({"charge": "ch_1"})"};
}

inline const DatabaseTime kAsOf{Duration{1767323645'500'000}};

inline constexpr char kProfile[] = R"(profile: 1
name: sample
describes: for tests
base_url: https://api.example.com
auth: {kind: bearer}
headers: {Example-Version: "2026-01-01"}
lookup:
  method: GET
  path: /v1/credits
  query: {key: "{operation_id}"}
  window: {before: 5m, after: 1m}
  empty_statuses: []
  paging: {kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}
  max_pages: 3
credits:
  at: /data
  key: {at: /key}
  reference: {at: /id}
  account: {at: /account}
  amount: {at: /amount, type: decimal, unit: major, sign: positive}
  currency: {at: /currency}
  state: {at: /status, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}
guarantees:
  source: the sample's handbook
  key_retention: 24h
  concurrent_same_key: undocumented
  same_parameters: undocumented
  visibility_lag: 0s
  processing_time: 0s
)";

/// kProfile with `from`, which must be in it, replaced by `to`.
inline std::string profile_text(std::string_view from = "", std::string_view to = "") {
  std::string text = kProfile;
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the sample: " + std::string(from));
  return text.replace(at, from.size(), to);
}

inline Profile read(const std::string& text) {
  auto result = read_profile(text);
  if (auto* profile = std::get_if<Profile>(&result)) return std::move(*profile);
  throw std::logic_error(yaml::report("sample", std::get<std::vector<yaml::Fault>>(result)));
}

inline Profile profile(std::string_view from = "", std::string_view to = "") {
  return read(profile_text(from, to));
}

}  // namespace reconciled::samples
