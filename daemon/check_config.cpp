// SPDX-License-Identifier: Apache-2.0
#include "daemon/check_config.hpp"

#include <fmt/format.h>

#include "daemon/output.hpp"
#include "daemon/relations.hpp"

namespace reconciled {

ExitCode check_config(const Configuration& configuration) {
  Output output;
  auto code = ExitCode::done;
  output.write(
      fmt::format("profile {}: {}\n", configuration.profile.name, configuration.profile.describes));
  for (const auto& relation : relations(configuration.settings, configuration.profile.guarantees)) {
    output.write(fmt::format("{:<12} {}: {} against {}\n", to_string(relation.holds), relation.name,
                             relation.left, relation.right));
    if (relation.holds == Holds::yes) continue;
    output.write(fmt::format("{:<12} {}\n", "", relation.explanation));
    if (relation.holds == Holds::no) code = ExitCode::configuration;
  }
  for (const auto& warning : settings_warnings(configuration.settings))
    output.write(fmt::format("{:<12} {}\n", "warning", warning));
  return output.finish(code);
}

}  // namespace reconciled
