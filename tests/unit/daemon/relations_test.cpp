// SPDX-License-Identifier: Apache-2.0
#include "daemon/relations.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

Guarantees remembering(Duration length) {
  Guarantees promised;
  promised.key_retention = {KeyRetention::Kind::finite, length};
  return promised;
}

Guarantees remembering(KeyRetention::Kind kind) {
  Guarantees promised;
  promised.key_retention.kind = kind;
  return promised;
}

Relation find(const std::vector<Relation>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Relation& r) { return r.name == name; });
  INFO(name);
  REQUIRE(found != all.end());
  return *found;
}

Settings defaults() { return default_settings("host"); }

}  // namespace

TEST_CASE("the defaults hold with a provider that remembers keys for a day", "[relations]") {
  const auto all = relations(defaults(), remembering(24h));
  CHECK(all.size() == 11);
  for (const auto& relation : all) {
    INFO(relation.name);
    CHECK_FALSE(relation.left.empty());
    CHECK_FALSE(relation.right.empty());
    CHECK_FALSE(relation.explanation.empty());
    const bool unknowable =
        relation.name == "idempotency_stale_after > the service's request deadline";
    CHECK(relation.holds == (unknowable ? Holds::not_provable : Holds::yes));
  }
}

TEST_CASE("each relation holds up to its edge and not beyond", "[relations]") {
  struct Row {
    const char* name;
    void (*set)(Settings&, Duration);
    Duration holds, fails;
  };
  const auto row = GENERATE(values<Row>({
      {"billing_call_timeout < execution_lease - lease_margin",
       [](Settings& s, Duration d) { s.timings.billing_call_timeout = d; }, 54999ms, 55s},
      {"billing_call_timeout < recovery_lease - lease_margin",
       [](Settings& s, Duration d) { s.timings.recovery_lease = d; }, 15001ms, 15s},
      {"store_call_timeout < execution_lease - lease_margin",
       [](Settings& s, Duration d) { s.timings.store_call_timeout = d; }, 54999ms, 55s},
      {"store_call_timeout < recovery_lease - lease_margin",
       [](Settings& s, Duration d) { s.timings.lease_margin = d; }, 54999ms, 55s},
      {"execution_lease > billing_call_timeout + 2 × store_call_timeout + replication_wait_bound + "
       "lease_margin",
       [](Settings& s, Duration d) { s.timings.execution_lease = d; }, 25001ms, 25s},
      {"execution_lease > billing_call_timeout + 2 × store_call_timeout + replication_wait_bound + "
       "lease_margin",
       [](Settings& s, Duration d) { s.timings.replication_wait_bound = d; }, 34999ms, 35s},
      {"recovery_lease - lease_margin > provider.timeout + 2 × database.statement_timeout",
       [](Settings& s, Duration d) { s.provider.timeout = d; }, 44999ms, 45s},
      {"recovery_lease - lease_margin > provider.timeout + 2 × database.statement_timeout",
       [](Settings& s, Duration d) { s.database.statement_timeout = d; }, 22499ms, 22500ms},
      {"recovery.drain_timeout < recovery_lease",
       [](Settings& s, Duration d) { s.recovery.drain_timeout = d; }, 59999ms, 60s},
      {"submission_window <= key_retention - provider_clock_margin",
       [](Settings& s, Duration d) { s.timings.submission_window = d; }, 1435min, 1435min + 1ms},
      {"submission_window <= key_retention - provider_clock_margin",
       [](Settings& s, Duration d) { s.timings.provider_clock_margin = d; }, 4h, 4h + 1ms},
      {"cleanup_margin > admission_transaction_bound + replication_wait_bound + largest_clock_step",
       [](Settings& s, Duration d) { s.timings.cleanup_margin = d; }, 35001ms, 35s},
      {"cleanup_margin > admission_transaction_bound + replication_wait_bound + largest_clock_step",
       [](Settings& s, Duration d) { s.timings.largest_clock_step = d; }, 569999ms, 570s},
  }));
  auto settings = defaults();
  row.set(settings, row.holds);
  CHECK(find(relations(settings, remembering(24h)), row.name).holds == Holds::yes);
  row.set(settings, row.fails);
  CHECK(find(relations(settings, remembering(24h)), row.name).holds == Holds::no);
}

TEST_CASE("a retention that nobody documents proves nothing, a permanent one suffices",
          "[relations]") {
  constexpr char kName[] = "submission_window <= key_retention - provider_clock_margin";
  using Kind = KeyRetention::Kind;
  const auto holds = [&](Kind kind) {
    return find(relations(defaults(), remembering(kind)), kName);
  };
  CHECK(holds(Kind::permanent).holds == Holds::yes);
  CHECK(holds(Kind::none).holds == Holds::not_provable);
  CHECK(holds(Kind::undocumented).holds == Holds::not_provable);
  CHECK(holds(Kind::none).right == "none");
  CHECK(holds(Kind::undocumented).right == "undocumented");
}

TEST_CASE("a relation shows its numbers", "[relations]") {
  const auto all = relations(defaults(), remembering(24h));
  const auto lease = find(
      all, "recovery_lease - lease_margin > provider.timeout + 2 × database.statement_timeout");
  CHECK(lease.left == "1m - 5s = 55s");
  CHECK(lease.right == "10s + 2 × 5s = 20s");
  const auto window = find(all, "submission_window <= key_retention - provider_clock_margin");
  CHECK(window.left == "20h");
  CHECK(window.right == "1d - 5m = 1435m");
}

TEST_CASE("creating again asks for more lease and more window", "[relations]") {
  auto settings = defaults();
  settings.recovery.resubmit = true;
  settings.timings.recovery_lease = 45s;
  const auto all = relations(settings, remembering(24h));
  constexpr char kLease[] =
      "recovery_lease - lease_margin > 2 × provider.timeout + 3 × database.statement_timeout";
  CHECK(find(all, kLease).holds == Holds::yes);
  settings.timings.recovery_lease = 40s;
  CHECK(find(relations(settings, remembering(24h)), kLease).holds == Holds::no);
  constexpr char kWindow[] =
      "submission_window > execution_lease + recovery.poll_interval + recovery_lease";
  settings.timings.submission_window = 105s;
  CHECK(find(relations(settings, remembering(24h)), kWindow).holds == Holds::no);
  settings.timings.submission_window = 105001ms;
  CHECK(find(relations(settings, remembering(24h)), kWindow).holds == Holds::yes);
}

TEST_CASE("creating again is refused for each thing that is missing, by its name", "[relations]") {
  auto settings = defaults();
  Profile profile;
  CHECK(resubmission_relations(settings, profile).empty());
  settings.recovery.resubmit = true;
  const auto failing = [&] {
    std::string names;
    for (const auto& relation : resubmission_relations(settings, profile))
      if (relation.holds != Holds::yes)
        names += relation.name.substr(std::string("recovery.resubmit needs ").size()) + " ";
    return names;
  };
  CHECK(failing() ==
        "the profile's create guarantees.concurrent_same_key guarantees.same_parameters "
        "guarantees.key_retention recovery.eligibility_function ");
  profile.create.emplace();
  profile.guarantees.concurrent_same_key_atomic = true;
  CHECK(failing() ==
        "guarantees.same_parameters guarantees.key_retention recovery.eligibility_function ");
  profile.guarantees.same_parameters_enforced = true;
  profile.guarantees.key_retention = {KeyRetention::Kind::none, {}};
  CHECK(failing() == "guarantees.key_retention recovery.eligibility_function ");
  profile.guarantees.key_retention = {KeyRetention::Kind::permanent, {}};
  CHECK(failing() == "recovery.eligibility_function ");
  settings.recovery.eligibility_function = "s.may_create";
  CHECK(failing().empty());
  profile.guarantees.key_retention = {KeyRetention::Kind::finite, 24h};
  CHECK(failing().empty());
}

TEST_CASE("outcomes have the words that people read", "[relations]") {
  CHECK(to_string(Holds::yes) == "ok");
  CHECK(to_string(Holds::no) == "FAIL");
  CHECK(to_string(Holds::not_provable) == "not provable");
}

TEST_CASE("timings that file and database disagree on are named with both values", "[relations]") {
  const auto file = defaults().timings;
  CHECK(compare_timings(file, file).empty());
  auto database = file;
  database.admission_leeway = 31s;
  database.idempotency_record_life = 1h;
  const auto differences = compare_timings(file, database);
  REQUIRE(differences.size() == 2);
  CHECK(differences[0].key == "timings.admission_leeway");
  CHECK(differences[0].file == 30s);
  CHECK(differences[0].database == 31s);
  CHECK(differences[1].key == "timings.idempotency_record_life");
}

TEST_CASE("every timing is compared", "[relations]") {
  CHECK(compare_timings(defaults().timings, Timings{}).size() == 15);  // one of 16 is 0s by default
  auto other = Timings{};
  other.replication_wait_bound = 1s;
  CHECK(compare_timings(defaults().timings, other).size() == 16);
}
