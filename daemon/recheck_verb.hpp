// SPDX-License-Identifier: Apache-2.0
// `reconciled recheck`: a person sends operations back to be looked at.
#pragma once

#include "daemon/configuration.hpp"
#include "daemon/verbs.hpp"

namespace reconciled {

/// NeedsReconciliation → Unknown, due now or at the not-before of a create, each on its own, with
/// evidence of the actor. 1 if one of them was refused, lost to somebody faster, or is not there;
/// the others are done all the same.
ExitCode run_recheck(const Configuration& configuration, const RecheckInvocation& wanted);

}  // namespace reconciled
