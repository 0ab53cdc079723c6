// SPDX-License-Identifier: Apache-2.0
#include "daemon/settings_table.hpp"

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/overloaded.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

std::string slurp(const std::string& name) {
  std::ifstream file(std::string(RECONCILED_SOURCE_DIR) + "/" + name);
  REQUIRE(file);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

const Setting& setting(std::string_view key) {
  for (const auto& candidate : all_settings())
    if (candidate.key == key) return candidate;
  throw std::logic_error(std::string(key));
}

}  // namespace

TEST_CASE("the keys and defaults are those of the design", "[settings]") {
  const std::map<std::string_view, std::string_view> design = {
      {"instance", ""},
      {"database.uri", "postgresql:///reconciled"},
      {"database.password_file", ""},
      {"database.schema", "reconciled"},
      {"database.connections", "2"},
      {"database.connect_timeout", "5s"},
      {"database.statement_timeout", "5s"},
      {"database.pooler", "none"},
      {"provider.profile", ""},
      {"provider.base_url", ""},
      {"provider.credential_file", ""},
      {"provider.ca_file", ""},
      {"provider.connect_timeout", "3s"},
      {"provider.timeout", "10s"},
      {"provider.max_in_flight", "64"},
      {"provider.rate_limit", "0"},
      {"provider.max_answer", "4MiB"},
      {"recovery.enabled", "true"},
      {"recovery.poll_interval", "5s"},
      {"recovery.look_again_after", "30s"},
      {"recovery.look_again_at_most", "15m"},
      {"recovery.give_up_after", "24h"},
      {"recovery.drain_timeout", "20s"},
      {"recovery.late_truth", "6h"},
      {"recovery.late_truth_for", "30d"},
      {"recovery.resubmit", "false"},
      {"recovery.eligibility_function", ""},
      {"retention.consumptions", "true"},
      {"retention.idempotency_records", "false"},
      {"retention.interval", "1m"},
      {"retention.batch", "1000"},
      {"retention.pause", "50ms"},
      {"retention.require_bound", "false"},
      {"timings.admission_leeway", "30s"},
      {"timings.billing_call_timeout", "10s"},
      {"timings.store_call_timeout", "5s"},
      {"timings.execution_lease", "60s"},
      {"timings.recovery_lease", "60s"},
      {"timings.lease_margin", "5s"},
      {"timings.submission_window", "20h"},
      {"timings.provider_clock_margin", "5m"},
      {"timings.admission_transaction_bound", "30s"},
      {"timings.replication_wait_bound", "0s"},
      {"timings.largest_clock_step", "5s"},
      {"timings.cleanup_margin", "10m"},
      {"timings.maximum_grant_lifetime", "15m"},
      {"timings.issue_time_skew", "1m"},
      {"timings.idempotency_stale_after", "2m"},
      {"timings.idempotency_record_life", "24h"},
      {"log.level", "info"},
      {"log.format", "auto"},
      {"metrics.listen", "127.0.0.1:9464"}};
  CHECK(all_settings().size() == design.size());
  for (const auto& one : all_settings()) {
    INFO(one.key);
    REQUIRE(design.contains(one.key));
    CHECK(design.at(one.key) == one.initial);
  }
}

TEST_CASE("each row of the table is complete", "[settings]") {
  std::set<std::string_view> keys;
  for (const auto& one : all_settings()) {
    INFO(one.key);
    CHECK(keys.insert(one.key).second);
    CHECK(one.help.ends_with('.'));
    CHECK_FALSE(default_text(one).empty());
    CHECK_FALSE(type_text(one).empty());
    Settings settings;
    if (!one.initial.empty()) CHECK(assign(settings, one, one.initial).empty());
  }
}

TEST_CASE("each key reaches a value of its own", "[settings]") {
  const auto defaults = default_settings("host");
  for (const auto& one : all_settings()) {
    INFO(one.key);
    auto changed = defaults;
    const auto* other =
        std::visit(overloaded{[&](const Flag& flag) { return flag.of(changed) ? "false" : "true"; },
                              [](const Count&) { return "7"; }, [](const Span&) { return "59s"; },
                              [](const Bytes&) { return "5KiB"; },
                              [](const Choice& choice) { return choice.words[1].data(); },
                              [&](const Word&) {
                                return one.key == "metrics.listen"      ? "h:1"
                                       : one.key == "provider.base_url" ? "https://h"
                                                                        : "other";
                              }},
                   one.target);
    if (one.key == "database.uri") other = "host=h";
    REQUIRE(assign(changed, one, other).empty());
    CHECK(raw_text(changed, one) == other);
    const auto keys = changed_keys(defaults, changed);
    REQUIRE(keys.size() == 1);
    CHECK(keys[0].key == one.key);
  }
}

TEST_CASE("database, metrics and instance need a restart, everything else is applied",
          "[settings]") {
  for (const auto& one : all_settings()) {
    INFO(one.key);
    const auto section = section_of(one);
    const bool wants_restart =
        section == "database" || section == "metrics" || one.key == "instance";
    CHECK((one.on_reload == OnReload::needs_restart) == wants_restart);
  }
}

TEST_CASE("a range includes its ends and nothing beyond", "[settings]") {
  Settings settings;
  const auto fault = [&](std::string_view key, std::string_view text) {
    return assign(settings, setting(key), text);
  };
  CHECK(fault("database.connections", "1").empty());
  CHECK(fault("database.connections", "64").empty());
  CHECK(fault("database.connections", "0") == "is out of range: 1 to 64");
  CHECK(fault("database.connections", "65") == "is out of range: 1 to 64");
  CHECK(fault("recovery.poll_interval", "10ms").empty());
  CHECK(fault("recovery.poll_interval", "1h").empty());
  CHECK(fault("recovery.poll_interval", "9ms") == "is out of range: 10ms to 1h");
  CHECK(fault("recovery.poll_interval", "61m") == "is out of range: 10ms to 1h");
  CHECK(fault("provider.max_answer", "1KiB").empty());
  CHECK(fault("provider.max_answer", "1GiB").empty());
  CHECK(fault("provider.max_answer", "1023B") == "is out of range: 1KiB to 1GiB");
  CHECK(fault("provider.max_answer", "2GiB") == "is out of range: 1KiB to 1GiB");
  CHECK(fault("provider.max_answer", "99999999999999999GiB").find("is no size") == 0);
  CHECK(settings.database.connections == 64);
}

TEST_CASE("the shipped file is what --print-config=defaults prints", "[settings]") {
  CHECK(slurp("etc/reconciled.yaml") == print_default_file());
}

TEST_CASE("the default file lacks nothing but the profile", "[settings]") {
  const auto reading = read_settings(print_default_file(), "host");
  REQUIRE(reading.faults.size() == 1);
  CHECK(reading.faults[0].key == "provider.profile");
  CHECK(changed_keys(default_settings("host"), reading.settings).empty());
}

TEST_CASE("no line of the default file is longer than 100 columns", "[settings]") {
  std::istringstream lines(print_default_file());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}
