// SPDX-License-Identifier: Apache-2.0
// The one door to Catch2: version 2 on Debian 12, version 3 on Debian 13.
#pragma once

#if RECONCILED_CATCH2_VERSION == 3
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
