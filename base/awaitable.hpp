// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/awaitable.hpp>

namespace reconciled {

/// A coroutine on the process's one event loop.
template <class T>
using Awaitable = boost::asio::awaitable<T>;

}  // namespace reconciled
