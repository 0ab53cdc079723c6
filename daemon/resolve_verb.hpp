// SPDX-License-Identifier: Apache-2.0
// `reconciled resolve`: a person says how operations ended.
#pragma once

#include "daemon/configuration.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

/// Asks the provider once more about each, shows the answer, and records status, actor, reason and
/// both looks in one statement. 1 if one was refused, lost to somebody faster, or is not there; the
/// others are done all the same. 69 if the provider does not answer: nothing is written for that
/// one and those after it.
ExitCode run_resolve(const Configuration& configuration, const Surroundings& around,
                     const ResolveInvocation& wanted);

}  // namespace reconciled
