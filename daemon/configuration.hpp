// SPDX-License-Identifier: Apache-2.0
// All that a start or a reload reads from files: settings, profile, secrets. It is taken whole or
// not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/secret.hpp"
#include "daemon/relations.hpp"
#include "daemon/settings.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

/// What the process gets from around it; handed in, so that tests need not change it.
struct Surroundings {
  std::string host_name;
  std::optional<std::filesystem::path> credentials_directory;  ///< systemd's $CREDENTIALS_DIRECTORY
  ListenFallback listen;                                       ///< $RECONCILED_METRICS_LISTEN
};
Surroundings surroundings();

struct Configuration {
  Settings settings;
  Profile profile;
  Secret credential;  ///< of the provider; empty with auth none
  std::optional<Secret> database_password;
};

/// Every fault of file, profile and secrets in one report: Failure::what has one a line.
Result<Configuration> load_configuration(const std::filesystem::path& file,
                                         const Surroundings& around);

/// The profile, at the address that the settings name. `key` is what named the file.
Result<Profile> read_profile_file(std::string_view key, const std::filesystem::path& path,
                                  const Settings& settings);

/// The provider's credential, read from its file once more.
Result<Secret> load_credential(const Settings& settings, const Surroundings& around);

/// From its file; nullopt if the settings name none.
Result<std::optional<Secret>> load_database_password(const Settings& settings,
                                                     const Surroundings& around);

/// Every relation of this configuration, those of creating again included.
std::vector<Relation> all_relations(const Configuration& configuration);

/// Refuses timings that are not safe together (design G14): one line for each relation that does
/// not hold.
std::optional<Failure> refuse_unsafe(const Configuration& configuration);

/// What works and should still be looked at, relations that nothing proves included.
std::vector<std::string> warnings(const Configuration& configuration);

}  // namespace reconciled
