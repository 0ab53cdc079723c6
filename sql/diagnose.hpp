// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace reconciled::sql {

/// Why a connection cannot be made, as a SQLSTATE, in any language of the server: tries once more
/// by itself and reads the code, which libpqxx does not hand on for a failed connection. "25006"
/// for a server that is only readable where one that can be written was asked for. Empty if nothing
/// answered. `text`: keywords as for libpq. Blocks as connecting does.
std::string why_refused(const std::string& text);

}  // namespace reconciled::sql
