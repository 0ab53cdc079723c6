// SPDX-License-Identifier: Apache-2.0
#include "daemon/files.hpp"
#include "daemon/settings.hpp"
#include "daemon/settings_checks.hpp"
#include "sql/connection_string.hpp"

namespace reconciled {
namespace {

bool is_loopback(std::string_view url) {
  const auto host = url.substr(url.find("://") + 3);
  for (const std::string_view here : {"127.", "localhost", "[::1]"})
    if (host.starts_with(here)) return true;
  return false;
}

}  // namespace

Result<Settings> load_settings(const std::filesystem::path& file, std::string_view host_name,
                               const ListenFallback& listen) {
  if (const auto wrong = listen ? checks::listen_address(*listen) : ""; !wrong.empty())
    return Failure{ExitCode::configuration, "$RECONCILED_METRICS_LISTEN: " + wrong};
  const auto text = read_file(file, yaml::kMostBytes);
  if (!text) return text.error();
  auto reading = read_settings(*text, host_name, listen);
  if (!reading.faults.empty())
    return Failure{ExitCode::configuration, yaml::report(file.string(), reading.faults)};
  return std::move(reading.settings);
}

std::vector<std::string> settings_warnings(const Settings& settings) {
  std::vector<std::string> warnings;
  if (sql::has_password(settings.database.uri))
    warnings.emplace_back(
        "database.uri holds a password: move it to a file that database.password_file names");
  const auto& url = settings.provider.base_url;
  if (url.starts_with("http://") && !is_loopback(url))
    warnings.emplace_back(
        "provider.base_url is http: credential and answers travel in clear text, use https");
  return warnings;
}

std::filesystem::path profile_path(const Settings& settings, const std::filesystem::path& file) {
  return file.parent_path() / settings.provider.profile;  // an absolute one replaces the directory
}

}  // namespace reconciled
