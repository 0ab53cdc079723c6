// SPDX-License-Identifier: Apache-2.0
#include "daemon/run_verb.hpp"

#include <cstdio>

#include "daemon/check_verb.hpp"
#include "daemon/list_verb.hpp"
#include "daemon/recheck_verb.hpp"
#include "daemon/resolve_verb.hpp"
#include "daemon/resubmit_verb.hpp"
#include "daemon/show_verb.hpp"
#include "daemon/verb_session.hpp"

namespace reconciled {
namespace {

ProviderNeed need_of(const Invocation& invocation) {
  if (invocation.command != Command::resolve) return ProviderNeed::none;
  return invocation.resolve.ask ? ProviderNeed::asking : ProviderNeed::guarantees;
}

}  // namespace

bool is_verb(Command command) noexcept {
  switch (command) {
    case Command::list:
    case Command::show:
    case Command::recheck:
    case Command::resolve:
    case Command::check:
    case Command::resubmit:
      return true;
    default:
      return false;
  }
}

ExitCode run_verb(const Invocation& invocation, const Surroundings& around) {
  const auto configuration = load_for_verb(invocation.config, around, need_of(invocation));
  if (!configuration) {
    std::fprintf(stderr, "%s\n", to_string(configuration.error()).c_str());
    return configuration.error().code;
  }
  switch (invocation.command) {
    case Command::list:
      return run_list(*configuration, invocation.list, invocation.output);
    case Command::show:
      return run_show(*configuration, invocation.operation, invocation.output);
    case Command::recheck:
      return run_recheck(*configuration, invocation.recheck);
    case Command::resolve:
      return run_resolve(*configuration, around, invocation.resolve);
    case Command::check:
      return run_check(*configuration, invocation.output);
    case Command::resubmit:
      return run_resubmit(*configuration, invocation.resubmit);
    default:
      return ExitCode::defect;
  }
}

}  // namespace reconciled
