// SPDX-License-Identifier: Apache-2.0
#include "retention/bound.hpp"

#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

using Texts = std::vector<std::string>;
using Text = std::optional<std::string>;

constexpr BoundTimings kTimings{10min, 0s, 5s};

BoundFacts one_role(AdmittingRole role, int version = 170000) {
  BoundFacts facts;
  facts.server_version = version;
  facts.server = "0";
  facts.roles = {std::move(role)};
  return facts;
}

Texts keys_of(const std::vector<Refusal>& refusals) {
  Texts keys;
  for (const auto& refusal : refusals) keys.push_back(key_of(refusal));
  return keys;
}

TEST_CASE("a time setting is read as the server reads it, or not at all", "[bound]") {
  struct Case {
    const char* text;
    std::optional<Duration> value;
  };
  const Case cases[] = {
      {"0", 0us},
      {"30000", 30s},
      {"30s", 30s},
      {" 30 s ", 30s},
      {"500us", 0us},
      {"1000us", 1ms},
      {"250ms", 250ms},
      {"2min", 2min},
      {"1h", 1h},
      {"7d", 168h},
      {"1.5s", 2s},
      {"1.min", 2min},
      {"0.4", std::nullopt},
      {"", std::nullopt},
      {"  ", std::nullopt},
      {"-1", std::nullopt},
      {"0x10", std::nullopt},
      {"30 S", std::nullopt},
      {"s", std::nullopt},
      {"2147483647", std::nullopt},
      {"2147483646", 2147483646ms},
      {"25d", std::nullopt},
      {"99999999999999999999", std::nullopt},
      {"1.5.5s", std::nullopt},
  };
  for (const auto& one : cases) {
    INFO('"' << one.text << '"');
    CHECK(parse_server_time(one.text) == one.value);
  }
}

TEST_CASE("the most specific setting wins, also one that switches it off", "[bound]") {
  struct Case {
    Text in_database, of_role, of_database, of_all, server;
    std::optional<Duration> bound;
  };
  const Case cases[] = {
      {{}, {}, {}, {}, {}, {}},
      {{}, {}, {}, {}, "0", {}},
      {{}, {}, {}, {}, "5000", 5s},
      {{}, {}, {}, "4s", "5000", 4s},
      {{}, {}, "3s", "4s", "5000", 3s},
      {{}, "2s", "3s", "4s", "5000", 2s},
      {"1s", "2s", "3s", "4s", "5000", 1s},
      {"0", "2s", "3s", "4s", "5000", {}},
      {{}, "0", {}, {}, "5000", {}},
      {{}, "nonsense", {}, {}, "5000", {}},
  };
  for (const auto& one : cases) {
    const AdmittingRole role{"a", one.in_database, one.of_role, one.of_database, one.of_all};
    CHECK(transaction_timeout_of(role, one.server) == one.bound);
  }
}

TEST_CASE("a server before 17 has no bound, whatever its roles say", "[bound]") {
  const auto refusals = judge_bound(one_role({"app", {}, "30s", {}, {}}, 160009), kTimings);
  REQUIRE(keys_of(refusals) == Texts{"no-transaction-timeout"});
  CHECK_THAT(explain(refusals[0]), contains_text("PostgreSQL 16 has no transaction_timeout"));
}

TEST_CASE("every admitting role must have an end that fits into the margin", "[bound]") {
  CHECK(judge_bound(one_role({"app", {}, "30s", {}, {}}), kTimings).empty());
  const auto unbounded = judge_bound(one_role({"app", {}, {}, {}, {}}), kTimings);
  REQUIRE(keys_of(unbounded) == Texts{"role-unbounded app"});
  CHECK_THAT(explain(unbounded[0]), contains_text("ALTER ROLE app SET transaction_timeout"));

  // margin > bound + wait + step, and not >=.
  CHECK(judge_bound(one_role({"app", {}, "594999", {}, {}}), kTimings).empty());
  const auto long_one = judge_bound(one_role({"app", {}, "595s", {}, {}}), kTimings);
  REQUIRE(keys_of(long_one) == Texts{"role-bound-too-long app"});
  CHECK_THAT(explain(long_one[0]),
             contains_text("cleanup_margin is 10m and must be more than 10m"));
  CHECK(keys_of(judge_bound(one_role({"app", {}, "590s", {}, {}}), {10min, 5s, 5s})) ==
        Texts{"role-bound-too-long app"});
}

TEST_CASE("a synchronous standby asks for a bound of its wait", "[bound]") {
  auto facts = one_role({"app", {}, "30s", {}, {}});
  facts.synchronous_standby_names = "ANY 1 (a)";
  const auto refusals = judge_bound(facts, kTimings);
  REQUIRE(keys_of(refusals) == Texts{"standby-wait"});
  CHECK_THAT(explain(refusals[0]), contains_text("synchronous_standby_names is 'ANY 1 (a)'"));
  CHECK(judge_bound(facts, {10min, 1s, 5s}).empty());
}

TEST_CASE("roles and superusers are described", "[bound]") {
  auto facts = one_role({"app", {}, "30s", {}, {}});
  facts.roles.push_back({"batch", {}, {}, {}, {}});
  facts.superusers = {"postgres"};
  CHECK(describe(facts) == Texts{"role app may admit; transaction_timeout 30s in a new session",
                                 "role batch may admit; transaction_timeout has no end",
                                 "superuser postgres may do anything, and does not count"});
}

}  // namespace
}  // namespace reconciled::test
