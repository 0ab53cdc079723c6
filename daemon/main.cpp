// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "daemon/check_config.hpp"
#include "daemon/command_line.hpp"
#include "daemon/configuration.hpp"
#include "daemon/dry_run.hpp"
#include "daemon/output.hpp"
#include "daemon/probe_profile.hpp"
#include "daemon/run_verb.hpp"
#include "daemon/service.hpp"

namespace reconciled {
namespace {

ExitCode print(const std::string& text, ExitCode code = ExitCode::done) {
  Output output;
  output.write(text);
  return output.finish(code);
}

/// A standard descriptor that was closed would be given to the next socket, and a line of the log
/// would end up at the database. Writing to what is only read fails as it would if it were closed.
void hold_standard_descriptors() {
  int descriptor = 0;
  while (descriptor >= 0 && descriptor <= STDERR_FILENO) descriptor = open("/dev/null", O_RDONLY);
  if (descriptor >= 0) close(descriptor);
}

ExitCode complain(const Failure& failure) {
  std::fprintf(stderr, "%s\n", to_string(failure).c_str());
  return failure.code;
}

ExitCode run(const Invocation& invocation) {
  if (invocation.command == Command::print_defaults) return print(print_default_file());
  const auto around = surroundings();
  if (invocation.command == Command::print_config) {
    const auto settings = load_settings(invocation.config, around.host_name, around.listen);
    return settings ? print(print_settings(*settings)) : complain(settings.error());
  }
  if (invocation.command == Command::probe_profile) return run_probe_profile(invocation, around);
  if (is_verb(invocation.command)) return run_verb(invocation, around);
  auto configuration = load_configuration(invocation.config, around);
  if (!configuration) return complain(configuration.error());
  if (invocation.command == Command::check_config) return check_config(*configuration);
  if (const auto unsafe = refuse_unsafe(*configuration)) return complain(*unsafe);
  if (invocation.command == Command::dry_run)
    return run_dry_run(std::move(*configuration), around, invocation);
  Log log(configuration->settings.log);
  if (invocation.command == Command::once) return run_once(std::move(*configuration), around, log);
  return run_daemon(std::move(*configuration), invocation.config, around, log);
}

}  // namespace
}  // namespace reconciled

int main(int count, char** arguments) {
  using namespace reconciled;
  hold_standard_descriptors();
  std::signal(SIGPIPE,
              SIG_IGN);  // a closed socket or pipe is an error where it is written, not a death
  try {
    const auto parsed = parse_command_line({arguments + 1, arguments + count});
    if (const auto* usage = std::get_if<Usage>(&parsed)) {
      if (usage->to_stdout) return static_cast<int>(print(usage->text, usage->code));
      std::fputs(usage->text.c_str(), stderr);
      return static_cast<int>(usage->code);
    }
    return static_cast<int>(run(std::get<Invocation>(parsed)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "reconciled: a defect of reconciled, please report it: %s\n",
                 error.what());
    return static_cast<int>(ExitCode::defect);
  }
}
