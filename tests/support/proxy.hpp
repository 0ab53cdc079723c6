// SPDX-License-Identifier: Apache-2.0
// A TCP proxy on 127.0.0.1 that loses things on the way, on purpose: the answer of a commit, a
// request, everything (design G12). It runs on a thread of its own; all methods are safe from any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/relay.hpp"

namespace reconciled::test {

class Proxy {
 public:
  /// `upstream` is "HOST:PORT" with a numeric host, or the path of a Unix socket; it need not be
  /// there yet. Listens on a free port unless one is given. Throws boost::system::system_error if
  /// it cannot listen, std::invalid_argument for an upstream that it cannot read.
  Proxy(Protocol protocol, const std::string& upstream, std::uint16_t port = 0);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  std::uint16_t port() const;
  /// The plan from now on; what an earlier plan held back passes at once.
  void set(Plan plan);
  /// Lets everything pass.
  void pass() { set({}); }
  /// Resets every connection that is open now; new ones are welcome.
  void reset_all();
  Counts counts() const;
  bool wait_for_hits(int hits) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reconciled::test
