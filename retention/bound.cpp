// SPDX-License-Identifier: Apache-2.0
#include "retention/bound.hpp"

#include <fmt/format.h>

#include <charconv>

namespace reconciled {
namespace {

constexpr int kFirstWithTransactionTimeout = 170000;

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};
constexpr Unit kUnits[] = {{"", 1'000},          {"us", 1},           {"ms", 1'000},
                           {"s", 1'000'000},     {"min", 60'000'000}, {"h", 3'600'000'000},
                           {"d", 86'400'000'000}};
/// PostgreSQL's own limit of such a setting: 2^31 - 1 ms.
constexpr std::int64_t kMost = std::int64_t{2'147'483'647} * 1'000;
constexpr std::string_view kDigits = "0123456789";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

std::optional<Duration> parse_server_time(std::string_view text) {
  const auto value = trimmed(text);
  const auto digits = value.substr(0, std::min(value.find_first_not_of(kDigits), value.size()));
  // A fraction is more precision than a bound needs: the next whole unit is longer, and safe.
  auto rest = value.substr(digits.size());
  const bool fraction = rest.starts_with('.');
  if (fraction) {
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(kDigits), rest.size()));
  }
  rest = trimmed(rest);
  std::int64_t count = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (read.ec != std::errc{}) return std::nullopt;
  for (const auto& unit : kUnits) {
    if (unit.name != rest) continue;
    // Half a millisecond and less is rounded to 0 by the server, which is no end.
    if (count >= kMost / unit.microseconds || (fraction && count == 0)) return std::nullopt;
    const Duration value_read{(count + (fraction ? 1 : 0)) * unit.microseconds};
    return value_read < 1ms ? Duration::zero() : value_read;
  }
  return std::nullopt;
}

std::optional<Duration> transaction_timeout_of(const AdmittingRole& role,
                                               const std::optional<std::string>& server) {
  for (const auto* place :
       {&role.in_database, &role.of_role, &role.of_database, &role.of_all, &server}) {
    if (!*place) continue;
    const auto bound = parse_server_time(**place);
    return bound == Duration::zero() ? std::nullopt : bound;
  }
  return std::nullopt;
}

std::vector<Refusal> judge_bound(const BoundFacts& facts, const BoundTimings& timings) {
  std::vector<Refusal> refusals;
  if (facts.server_version < kFirstWithTransactionTimeout)
    return {NoTransactionTimeout{facts.server_version}};
  for (const auto& role : facts.roles) {
    const auto bound = transaction_timeout_of(role, facts.server);
    if (!bound) {
      refusals.emplace_back(RoleUnbounded{role.name});
      continue;
    }
    const auto needed = *bound + timings.replication_wait_bound + timings.largest_clock_step;
    if (timings.cleanup_margin <= needed)
      refusals.emplace_back(RoleBoundTooLong{role.name, *bound, needed, timings.cleanup_margin});
  }
  if (!facts.synchronous_standby_names.empty() &&
      timings.replication_wait_bound == Duration::zero())
    refusals.emplace_back(StandbyWaitUnbounded{facts.synchronous_standby_names});
  return refusals;
}

std::vector<std::string> describe(const BoundFacts& facts) {
  std::vector<std::string> lines;
  for (const auto& role : facts.roles) {
    const auto bound = transaction_timeout_of(role, facts.server);
    lines.push_back(fmt::format("role {} may admit; transaction_timeout {}", role.name,
                                bound ? to_string(*bound) + " in a new session" : "has no end"));
  }
  for (const auto& name : facts.superusers)
    lines.push_back(fmt::format("superuser {} may do anything, and does not count", name));
  return lines;
}

}  // namespace reconciled
