// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace reconciled {

/// Who sits at the terminal: $SUDO_USER, else the process's own user. Written into the evidence of
/// a person's verb, beside the database user.
std::string actor();

}  // namespace reconciled
