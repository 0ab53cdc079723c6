// SPDX-License-Identifier: Apache-2.0
// What an operator can set (design §8 and §9), with the units in the types. Defaults, ranges and
// help are in the one table of daemon/settings_table.cpp, not here: default_settings() applies
// them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/failures.hpp"
#include "base/time.hpp"
#include "base/yaml.hpp"

namespace reconciled {

enum class Pooler { none, session };
enum class LogLevel { trace, debug, info, warn, error };
enum class LogFormat { automatic, text, json };

struct DatabaseSettings {
  std::string uri;            ///< may hold a password: print it with value_text() only
  std::string password_file;  ///< empty: none
  std::string schema;
  int connections = 0;
  Duration connect_timeout{};
  Duration statement_timeout{};
  Pooler pooler = Pooler::none;
};

struct ProviderSettings {
  std::string profile;          ///< a path; relative ones count from the configuration file
  std::string base_url;         ///< empty: the profile's
  std::string credential_file;  ///< empty: none
  std::string ca_file;          ///< empty: the system's
  Duration connect_timeout{};
  Duration timeout{};  ///< of a whole lookup, all pages and waits included
  int max_in_flight = 0;
  int rate_limit = 0;          ///< requests a second; 0: no limit
  std::size_t max_answer = 0;  ///< bytes, after decompression
};

struct RecoverySettings {
  bool enabled = false;
  Duration poll_interval{};
  Duration look_again_after{};
  Duration look_again_at_most{};
  Duration give_up_after{};
  Duration drain_timeout{};
  Duration late_truth{};
  Duration late_truth_for{};
  bool resubmit = false;
  std::string eligibility_function;  ///< empty: none
};

struct RetentionSettings {
  bool consumptions = false;
  bool idempotency_records = false;
  Duration interval{};
  int batch = 0;  ///< rows a statement
  Duration pause{};
  bool require_bound = false;
};

/// The members are named like the keys and like the columns of contract_timings.
struct Timings {
  Duration admission_leeway{};
  Duration billing_call_timeout{};
  Duration store_call_timeout{};
  Duration execution_lease{};
  Duration recovery_lease{};
  Duration lease_margin{};
  Duration submission_window{};
  Duration provider_clock_margin{};
  Duration admission_transaction_bound{};
  Duration replication_wait_bound{};
  Duration largest_clock_step{};
  Duration cleanup_margin{};
  Duration maximum_grant_lifetime{};
  Duration issue_time_skew{};
  Duration idempotency_stale_after{};
  Duration idempotency_record_life{};
  friend bool operator==(const Timings&, const Timings&) = default;
};

struct LogSettings {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::automatic;
};

struct MetricsSettings {
  std::string listen;  ///< host:port; empty: off
};

struct Settings {
  std::string instance;  ///< recorded in evidence and application_name; not a fence
  DatabaseSettings database;
  ProviderSettings provider;
  RecoverySettings recovery;
  RetentionSettings retention;
  Timings timings;
  LogSettings log;
  MetricsSettings metrics;
};

/// What holds for metrics.listen where the file does not say; empty turns them off, as the unit
/// for further instances does. nullopt: the table's default.
using ListenFallback = std::optional<std::string>;

/// The table's defaults; `host_name` for instance.
Settings default_settings(std::string_view host_name, const ListenFallback& listen = {});

struct SettingsReading {
  Settings settings;                ///< a key with a fault keeps its default
  std::vector<yaml::Fault> faults;  ///< in file order
};

/// Judges one configuration text (design §9). Never throws; every fault is found in one go.
SettingsReading read_settings(std::string_view text, std::string_view host_name,
                              const ListenFallback& listen = {});

/// Reads and judges the file. Failures: 78 with every fault as "FILE:LINE:COLUMN: KEY: WHAT", or
/// where the file is missing, no regular file or larger than 1 MiB, or the fallback is no address;
/// 77 where it may not be read.
Result<Settings> load_settings(const std::filesystem::path& file, std::string_view host_name,
                               const ListenFallback& listen = {});

/// What works and should still be changed, one sentence each: a password in database.uri, a
/// provider asked in clear text.
std::vector<std::string> settings_warnings(const Settings& settings);

/// `--print-config`: every effective value as YAML that reads back; passwords are "***".
std::string print_settings(const Settings& settings);
/// `--print-config=defaults`: the default file with a comment at each key; etc/reconciled.yaml.
std::string print_default_file();

struct ChangedKey {
  std::string_view key;
  bool needs_restart = false;
};

/// The keys whose values differ, in the table's order.
std::vector<ChangedKey> changed_keys(const Settings& running, const Settings& wanted);
/// What a reload may apply at once: `wanted`, with the keys that need a restart as they are
/// running.
Settings applicable_now(const Settings& running, const Settings& wanted);

/// Where a profile is: absolute as it is, else beside the configuration file.
std::filesystem::path profile_path(const Settings& settings, const std::filesystem::path& file);

}  // namespace reconciled
