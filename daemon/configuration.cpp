// SPDX-License-Identifier: Apache-2.0
#include "daemon/configuration.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "daemon/credential.hpp"
#include "daemon/files.hpp"
#include "daemon/relations.hpp"
#include "reconcile/profile_reader.hpp"

namespace reconciled {
namespace {

/// Collects what is wrong, so that one run tells all of it.
class Report {
 public:
  void add(const Failure& failure) {
    if (!text_.empty()) text_ += '\n';
    text_ += to_string(failure);
    // A permission that is missing is told as such only if nothing else is wrong.
    code_ = text_.empty() || code_ == failure.code || code_ == ExitCode::done
                ? failure.code
                : ExitCode::configuration;
  }
  bool empty() const { return text_.empty(); }
  Failure failure() && { return {code_, std::move(text_)}; }

 private:
  std::string text_;
  ExitCode code_ = ExitCode::done;
};

Result<Profile> load_profile(const Settings& settings, const std::filesystem::path& file) {
  if (settings.provider.profile.empty())
    return Failure{ExitCode::configuration, file.string() + ": provider.profile: missing",
                   "name a profile, for example providers.d/stripe-refund.yaml"};
  return read_profile_file("provider.profile", profile_path(settings, file), settings);
}

void trim_line_end(std::string& text) {
  while (text.ends_with('\n')) text.pop_back();
}

}  // namespace

Surroundings surroundings() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  Surroundings around;
  around.host_name = name[0] == '\0' ? "localhost" : name.data();
  // getenv: before any thread is started. NOLINTBEGIN(concurrency-mt-unsafe)
  if (const char* directory = std::getenv("CREDENTIALS_DIRECTORY"))
    around.credentials_directory = directory;
  if (const char* listen = std::getenv("RECONCILED_METRICS_LISTEN")) around.listen = listen;
  // NOLINTEND(concurrency-mt-unsafe)
  return around;
}

Result<Profile> read_profile_file(std::string_view key, const std::filesystem::path& path,
                                  const Settings& settings) {
  const auto text = read_file(path, yaml::kMostBytes);
  if (!text)
    return Failure{text.error().code, std::string(key) + ": " + text.error().what,
                   text.error().remedy};
  auto read = read_profile(*text);
  if (const auto* faults = std::get_if<std::vector<yaml::Fault>>(&read))
    return Failure{ExitCode::configuration, yaml::report(path.string(), *faults)};
  auto profile = std::get<Profile>(std::move(read));
  if (!settings.provider.base_url.empty()) profile.base_url = settings.provider.base_url;
  return profile;
}

Result<Secret> load_credential(const Settings& settings, const Surroundings& around) {
  constexpr auto kKey = "provider.credential_file";
  const auto path =
      credential_path(kKey, settings.provider.credential_file, around.credentials_directory);
  if (!path) return path.error();
  return read_credential(kKey, *path);
}

Result<Configuration> load_configuration(const std::filesystem::path& file,
                                         const Surroundings& around) {
  Configuration configuration;
  Report report;
  auto settings = load_settings(file, around.host_name, around.listen);
  if (!settings) return settings.error();
  configuration.settings = std::move(*settings);
  const auto& checked = configuration.settings;

  auto profile = load_profile(checked, file);
  if (profile)
    configuration.profile = std::move(*profile);
  else
    report.add(profile.error());

  const bool wants_credential = profile && configuration.profile.auth.kind != Auth::Kind::none;
  if (!checked.provider.credential_file.empty()) {
    auto credential = load_credential(checked, around);
    if (credential)
      configuration.credential = std::move(*credential);
    else
      report.add(credential.error());
  } else if (wants_credential) {
    report.add({ExitCode::configuration, file.string() +
                                             ": provider.credential_file: missing; profile " +
                                             configuration.profile.name + " sends a credential"});
  }

  auto password = load_database_password(checked, around);
  if (password)
    configuration.database_password = std::move(*password);
  else
    report.add(password.error());
  if (!report.empty()) return std::move(report).failure();
  return configuration;
}

Result<std::optional<Secret>> load_database_password(const Settings& settings,
                                                     const Surroundings& around) {
  constexpr auto kKey = "database.password_file";
  const auto& file = settings.database.password_file;
  if (file.empty()) return std::optional<Secret>{};
  const auto path = credential_path(kKey, file, around.credentials_directory);
  if (!path) return path.error();
  auto password = read_credential(kKey, *path);
  if (!password) return password.error();
  return std::optional<Secret>{std::move(*password)};
}

std::vector<Relation> all_relations(const Configuration& configuration) {
  auto all = relations(configuration.settings, configuration.profile.guarantees);
  for (auto& relation : resubmission_relations(configuration.settings, configuration.profile))
    all.push_back(std::move(relation));
  return all;
}

std::optional<Failure> refuse_unsafe(const Configuration& configuration) {
  std::string lines;
  for (const auto& relation : all_relations(configuration))
    if (relation.holds == Holds::no)
      lines += fmt::format("{}: {} against {}: {}\n", relation.name, relation.left, relation.right,
                           relation.explanation);
  if (lines.empty()) return std::nullopt;
  trim_line_end(lines);
  return Failure{ExitCode::configuration, lines,
                 "see all relations with `reconciled --check-config`"};
}

std::vector<std::string> warnings(const Configuration& configuration) {
  auto lines = settings_warnings(configuration.settings);
  for (const auto& relation : all_relations(configuration))
    if (relation.holds == Holds::not_provable)
      lines.push_back(relation.name + " is not provable: " + relation.explanation);
  return lines;
}

}  // namespace reconciled
