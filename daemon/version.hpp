// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace reconciled {

/// A test keeps it equal to project(VERSION) in CMakeLists.txt.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace reconciled
