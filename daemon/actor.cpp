// SPDX-License-Identifier: Apache-2.0
#include "daemon/actor.hpp"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace reconciled {

std::string actor() {
  // No thread has been started that changes the environment or asks for users.
  if (const char* name = std::getenv("SUDO_USER");  // NOLINT(concurrency-mt-unsafe)
      name != nullptr && *name != '\0')
    return name;
  const auto* user = getpwuid(getuid());  // NOLINT(concurrency-mt-unsafe)
  return user == nullptr ? "uid " + std::to_string(getuid()) : user->pw_name;
}

}  // namespace reconciled
