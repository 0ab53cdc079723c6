// SPDX-License-Identifier: Apache-2.0
// The parts of Boost.JSON that are not templates, compiled once, here: the project uses its headers
// only.
#include <boost/json/src.hpp>
