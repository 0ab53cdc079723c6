// SPDX-License-Identifier: Apache-2.0
#include "daemon/settings.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

constexpr char kProfile[] = "provider: {profile: /p.yaml}\n";

/// What is reported for a file with this text behind a good first line.
std::string faults_of(std::string_view text) {
  return yaml::report("f", read_settings(kProfile + std::string(text), "host").faults);
}

Settings settings_of(std::string_view text) {
  const auto reading = read_settings(text, "host");
  INFO(yaml::report("f", reading.faults));
  REQUIRE(reading.faults.empty());
  return reading.settings;
}

}  // namespace

TEST_CASE("a value that another reader might take for something else is refused",
          "[settings][B33]") {
  struct Row {
    std::string_view text, fault;
  };
  const auto [text, fault] = GENERATE(values<Row>({
      {"database:\n  connections: 010\n",
       "f:3:16: database.connections: \"010\" is no whole number: decimal digits only, no leading "
       "zero, 1 to 64"},
      {"database:\n  connections: 0x2\n",
       "f:3:16: database.connections: \"0x2\" is no whole number: decimal digits only, no leading "
       "zero, 1 to 64"},
      {"database:\n  connections: 1_000\n",
       "f:3:16: database.connections: \"1_000\" is no whole number: decimal digits only, no "
       "leading "
       "zero, 1 to 64"},
      {"database:\n  connections: 2.0\n",
       "f:3:16: database.connections: \"2.0\" is no whole number: decimal digits only, no leading "
       "zero, 1 to 64"},
      {"database:\n  connections: \"2\"\n",
       "f:3:16: database.connections: \"2\" is a text: write it without quotes (whole number, 1 to "
       "64)"},
      {"database:\n  connections: 99999999999\n",
       "f:3:16: database.connections: \"99999999999\" is no whole number: decimal digits only, no "
       "leading zero, 1 to 64"},
      {"database:\n  connections: [2]\n",
       "f:3:16: database.connections: must be one value (whole number, 1 to 64), found a list"},
      {"timings:\n  execution_lease: 1:00\n",
       "f:3:20: timings.execution_lease: \"1:00\" is no duration: digits and one of the units ms, "
       "s, "
       "m, h, d, like 30s"},
      {"timings:\n  execution_lease: 60\n",
       "f:3:20: timings.execution_lease: \"60\" has no unit: write a duration like 250ms, 30s, 5m, "
       "24h or 7d"},
      {"timings:\n  execution_lease: .inf\n",
       "f:3:20: timings.execution_lease: \".inf\" is no duration: digits and one of the units ms, "
       "s, "
       "m, h, d, like 30s"},
      {"timings:\n  execution_lease: -5s\n",
       "f:3:20: timings.execution_lease: \"-5s\" is no duration: digits and one of the units ms, "
       "s, "
       "m, h, d, like 30s"},
      {"timings:\n  execution_lease: 5 m\n",
       "f:3:20: timings.execution_lease: \"5 m\" is no duration: digits and one of the units ms, "
       "s, "
       "m, h, d, like 30s"},
      {"timings:\n  execution_lease: \"\"\n",
       "f:3:20: timings.execution_lease: \"\" is no duration: digits and one of the units ms, s, "
       "m, "
       "h, d, like 30s"},
      {"timings:\n  execution_lease:\n",
       "f:3:3: timings.execution_lease: has no value: give one, or remove the key"},
      {"timings:\n  execution_lease: ~\n",
       "f:3:3: timings.execution_lease: has no value: give one, or remove the key"},
  }));
  CHECK(faults_of(text) == fault);
}

TEST_CASE("a word for a boolean, a nought and a construct that hides keys are refused",
          "[settings][B33]") {
  struct Row {
    std::string_view text, fault;
  };
  const auto [text, fault] = GENERATE(values<Row>({
      {"recovery:\n  poll_interval: 0s\n",
       "f:3:18: recovery.poll_interval: \"0s\" is out of range: 10ms to 1h"},
      {"recovery:\n  enabled: no\n", "f:3:12: recovery.enabled: \"no\" is neither true nor false"},
      {"recovery:\n  enabled: \"true\"\n",
       "f:3:12: recovery.enabled: \"true\" is a text: write it without quotes (true or false)"},
      {"recovery:\n  enabled: 1\n", "f:3:12: recovery.enabled: \"1\" is neither true nor false"},
      {"recovery:\n  enabled: True\n",
       "f:3:12: recovery.enabled: \"True\" is neither true nor false"},
      {"instance: a\ninstance: b\n", "f:3:1: instance: duplicate key, first in line 2"},
      {"timings:\n  lease_margin: 4s\n  lease_margin: 5s\n",
       "f:4:3: timings.lease_margin: duplicate key, first in line 3"},
      {"timings:\n  <<: {lease_margin: 4s}\n",
       "f:3:3: timings.<<: a merge key is not supported: write the values out"},
      {"timings:\n\tlease_margin: 4s\n",
       "f:3:1: timings.lease_margin: a tab as indentation: use spaces"},
      {"---\nlog: {level: info}\n", "f:2:1: a second document: keep one in a file"},
      {"provider: {timeout: 9s}\n", "f:2:1: provider: duplicate key, first in line 1"},
      {"provider:\n", "f:2:1: provider: duplicate key, first in line 1"},
  }));
  CHECK(faults_of(text) == fault);
}

TEST_CASE("all faults of one file are in one report, in file order", "[settings][B33]") {
  CHECK(
      yaml::report("f", read_settings("database:\n"
                                      "  connections: 010\n"
                                      "  pooler: maybe\n"
                                      "timings:\n"
                                      "\texecution_lease: 60\n"
                                      "  lease_margin: -5s\n"
                                      "  lease_margin: 5s\n"
                                      "recovery: {enabled: no, <<: {}, poll_intervall: 5s}\n"
                                      "database: 1\n"
                                      "---\n",
                                      "host")
                            .faults) ==
      "f:2:16: database.connections: \"010\" is no whole number: decimal digits only, no leading "
      "zero, 1 to 64\n"
      "f:3:11: database.pooler: \"maybe\" is none of none, session\n"
      "f:5:1: timings.execution_lease: a tab as indentation: use spaces\n"
      "f:5:20: timings.execution_lease: \"60\" has no unit: write a duration like 250ms, 30s, 5m, "
      "24h or 7d\n"
      "f:6:17: timings.lease_margin: \"-5s\" is no duration: digits and one of the units ms, s, m, "
      "h, d, like 30s\n"
      "f:7:3: timings.lease_margin: duplicate key, first in line 6\n"
      "f:8:21: recovery.enabled: \"no\" is neither true nor false\n"
      "f:8:25: recovery.<<: a merge key is not supported: write the values out\n"
      "f:8:33: recovery.poll_intervall: unknown key; did you mean recovery.poll_interval?\n"
      "f:9:1: database: duplicate key, first in line 1\n"
      "f:10:1: a second document: keep one in a file");
}

TEST_CASE("a key with a fault keeps its default", "[settings]") {
  const auto reading =
      read_settings("database: {connections: 010}\ntimings: {lease_margin: 0}\n", "h");
  CHECK(reading.settings.database.connections == 2);
  CHECK(reading.settings.timings.lease_margin == 5s);
}

TEST_CASE("an unknown key is named with the key that was probably meant", "[settings]") {
  struct Row {
    std::string_view text, fault;
  };
  const auto [text, fault] = GENERATE(values<Row>({
      {"timings: {recovry_lease: 60s}\n",
       "f:2:11: timings.recovry_lease: unknown key; did you mean timings.recovery_lease?"},
      {"databse: {uri: x}\n", "f:2:1: databse: unknown key; did you mean database?"},
      {"poll_interval: 5s\n",
       "f:2:1: poll_interval: unknown key; did you mean recovery.poll_interval?"},
      {"recovery: {lease_margin: 5s}\n",
       "f:2:12: recovery.lease_margin: unknown key; did you mean timings.lease_margin?"},
      {"recovery.poll_interval: 5s\n",
       "f:2:1: recovery.poll_interval: unknown key; write poll_interval: below recovery:"},
      {"log: {log.level: info}\n", "f:2:7: log.log.level: unknown key; write level: below log:"},
      {"something: else\n", "f:2:1: something: unknown key"},
      {"log: {level: info, colour: {a: b}}\n", "f:2:20: log.colour: unknown key"},
  }));
  CHECK(faults_of(text) == fault);
}

TEST_CASE("a file of another shape is refused", "[settings]") {
  const auto report = [](std::string_view text) {
    return yaml::report("f", read_settings(text, "host").faults);
  };
  CHECK(report("") == "f:1:1: the file is empty");
  CHECK(report("- a\n") ==
        "f:1:1: the file must be made of KEY: VALUE lines\n"
        "f:1:1: provider.profile: is missing and has no default: give a path");
  CHECK(faults_of("recovery: true\n") ==
        "f:2:11: recovery: must be a section of keys, found a value");
  CHECK(faults_of("recovery: [1]\n") ==
        "f:2:11: recovery: must be a section of keys, found a list");
  CHECK(faults_of("recovery:\n  # enabled: false\n").empty());
}

TEST_CASE("the profile must be named", "[settings]") {
  const auto report =
      yaml::report("f", read_settings("log:\nprovider:\n  timeout: 1s\n", "h").faults);
  CHECK(report == "f:2:1: provider.profile: is missing and has no default: give a path");
}

TEST_CASE("a password in a URI that cannot be read is not repeated", "[settings]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "database: {uri: 'postgresql://u:hunter2@[h/d'}\n",
               "database: {uri: 'postgresql://u:hunter2@x@h/d'}\n",
               "database: {uri: 'password=hunter2 x'}\n", "database: {uri: [hunter2]}\n",
               "database: {uri: {hunter2: hunter2}}\n",
               "database: {uri: \"postgresql://u:hunter2@h\\n\"}\n");
  const auto report = faults_of(text);
  CHECK(report.find("database.uri: ") != std::string::npos);
  CHECK(report.find("hunter2") == std::string::npos);
}

TEST_CASE("text values are judged by what they are for", "[settings]") {
  struct Row {
    std::string_view good, bad;
  };
  const auto [good, bad] = GENERATE(values<Row>({
      {"instance: host-1.example", "instance: two words"},
      {"instance: 'x'", "instance: ''"},
      {"instance: '010'", "instance: żaba"},
      {"database: {schema: my_schema_1}", "database: {schema: My}"},
      {"database: {schema: x}", "database: {schema: pg_catalog}"},
      {"database: {schema: _x}", "database: {schema: 'a\"b'}"},
      {"database: {schema: x}",
       "database: {schema: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}"},
      {"database: {password_file: pg-password}", "database: {password_file: a/b}"},
      {"database: {password_file: /run/a/b}", "database: {password_file: ..}"},
      {"database: {uri: host=h port=1 dbname=d}", "database: {uri: ''}"},
      {"database: {uri: 'postgresql://a:1,b:2/d'}", "database: {uri: nonsense}"},
      {"metrics: {listen: ''}", "metrics: {listen: 9464}"},
      {"metrics: {listen: '[::1]:9464'}", "metrics: {listen: '::1:9464'}"},
      {"metrics: {listen: localhost:1}", "metrics: {listen: localhost:0}"},
      {"metrics: {listen: 0.0.0.0:65535}", "metrics: {listen: 0.0.0.0:65536}"},
      {"metrics: {listen: h:1}", "metrics: {listen: ':1'}"},
      {"recovery: {eligibility_function: may_create}", "recovery: {eligibility_function: ''}"},
      {"recovery: {eligibility_function: s.may}", "recovery: {eligibility_function: 's.m()'}"},
      {"log: {level: warn}", "log: {level: verbose}"},
      {"log: {format: json}", "log: {format: JSON}"},
  }));
  CHECK(faults_of(good).empty());
  CHECK(faults_of(bad) != "");
}

TEST_CASE("a base URL is an origin and a path, without secrets", "[settings]") {
  const auto fault = [](const std::string& url) {
    return read_settings("provider: {profile: p, base_url: '" + url + "'}\n", "h").faults.size();
  };
  for (const auto* good :
       {"https://api.example.com", "https://h:8443/v1", "http://127.0.0.1:1", "https://[::1]"})
    CHECK(fault(good) == 0);
  for (const auto* bad : {"", "api.example.com", "ftp://h", "https://", "https:///v1", "https://:1",
                          "https://u:p@h", "https://h?a=b", "https://h#f", "https://h h"})
    CHECK(fault(bad) == 1);
}

TEST_CASE("values arrive with their units", "[settings]") {
  const auto settings = settings_of(
      "instance: i\n"
      "database: {connections: 7, statement_timeout: '250ms', pooler: session}\n"
      "provider: {profile: p.yaml, rate_limit: 0, max_answer: 64KiB}\n"
      "recovery: {enabled: false, give_up_after: 7d}\n"
      "log: {level: debug, format: text}\n");
  CHECK(settings.instance == "i");
  CHECK(settings.database.connections == 7);
  CHECK(settings.database.statement_timeout == 250ms);
  CHECK(settings.database.pooler == Pooler::session);
  CHECK(settings.provider.max_answer == 65536);
  CHECK_FALSE(settings.recovery.enabled);
  CHECK(settings.recovery.give_up_after == 7 * 24h);
  CHECK(settings.log.level == LogLevel::debug);
  CHECK(settings.log.format == LogFormat::text);
  CHECK(settings_of(kProfile).instance == "host");
  CHECK(settings_of("provider: {profile: p, max_answer: 8MiB}").provider.max_answer == 8388608);
}

TEST_CASE("the effective settings read back as they were", "[settings]") {
  const auto settings = settings_of(
      "instance: 'a:b#c'\n"
      "database: {uri: \"host=h dbname='d \\\\\\\\ \\\"q\\\"'\", password_file: pw}\n"
      "provider: {profile: 'a b/~null', base_url: 'https://h/v1', ca_file: 'null'}\n"
      "timings: {submission_window: 90m, lease_margin: 1500ms}\n"
      "metrics: {listen: ''}\n");
  const auto printed = print_settings(settings);
  INFO(printed);
  const auto again = settings_of(printed);
  CHECK(changed_keys(settings, again).empty());
  CHECK(print_settings(again) == printed);
  CHECK(changed_keys(default_settings("host"), again).size() == 9);
}

TEST_CASE("a password in the URI is masked however it is written", "[settings]") {
  const auto uri = GENERATE(as<std::string>{}, "postgresql://u:hunter2@h/d",
                            "postgresql://u:hunt%65r2@h/d", "postgresql://h/d?password=hunter2",
                            "postgresql://h/d?pass%77ord=hunter2", "host=h password=hunter2",
                            "host=h password = 'hunter2' user=u", "sslpassword=hunter2 host=h");
  auto settings = default_settings("host");
  settings.provider.profile = "p";
  settings.database.uri = uri;
  const auto printed = print_settings(settings);
  CHECK(printed.find("hunt") == std::string::npos);
  CHECK(printed.find("***") != std::string::npos);
  CHECK(read_settings(printed, "host").faults.empty());
}

TEST_CASE("a password in the URI and a provider in clear text are warned about", "[settings]") {
  auto settings = default_settings("host");
  CHECK(settings_warnings(settings).empty());
  settings.database.uri = "postgresql://u:hunter2@h/d";
  settings.provider.base_url = "http://example.com";
  const auto warnings = settings_warnings(settings);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].find("hunter2") == std::string::npos);
  settings.provider.base_url = "http://127.0.0.1:8080";
  CHECK(settings_warnings(settings).size() == 1);
}

TEST_CASE("a reload applies what it can and names what needs a restart", "[settings]") {
  const auto running = default_settings("host");
  auto wanted = running;
  wanted.instance = "other";
  wanted.database.connections = 3;
  wanted.recovery.poll_interval = 1s;
  wanted.metrics.listen = "";
  std::string text;
  for (const auto& [key, needs_restart] : changed_keys(running, wanted))
    text += std::string(key) + (needs_restart ? "! " : " ");
  CHECK(text == "instance! database.connections! recovery.poll_interval metrics.listen! ");
  const auto applicable = changed_keys(running, applicable_now(running, wanted));
  REQUIRE(applicable.size() == 1);
  CHECK(applicable[0].key == "recovery.poll_interval");
}

TEST_CASE("a relative profile counts from the configuration file", "[settings]") {
  auto settings = default_settings("host");
  settings.provider.profile = "providers.d/x.yaml";
  CHECK(profile_path(settings, "/etc/reconciled/reconciled.yaml").string() ==
        "/etc/reconciled/providers.d/x.yaml");
  CHECK(profile_path(settings, "reconciled.yaml").string() == "providers.d/x.yaml");
  settings.provider.profile = "/x.yaml";
  CHECK(profile_path(settings, "/etc/reconciled/reconciled.yaml").string() == "/x.yaml");
}
