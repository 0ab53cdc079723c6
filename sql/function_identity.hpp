// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace reconciled::sql {

/// One function of the contract as this version installs it: its name, and the SHA-256 of its
/// prosrc in hexadecimal.
struct FunctionIdentity {
  const char* name;
  const char* sha256;
};

}  // namespace reconciled::sql
