// SPDX-License-Identifier: Apache-2.0
// A provider to be asked in tests: an HTTP server on the loopback with a thread of its own, which
// does what its world says.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/test_world.hpp"

namespace reconciled::test {

class TestProvider : public TestWorld {
 public:
  /// Listens on 127.0.0.1, on a free port for 0. Beside the credits it serves POST /_control (lines
  /// of a script) and GET /_ledger, which are in no ledger themselves.
  explicit TestProvider(std::uint16_t port = 0);
  ~TestProvider();
  TestProvider(const TestProvider&) = delete;
  TestProvider& operator=(const TestProvider&) = delete;

  std::uint16_t port() const;
  std::string base_url() const;  ///< http://127.0.0.1:PORT
  int connections() const;       ///< accepted so far

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

/// As gzip writes it.
std::string gzipped(std::string_view plain);

}  // namespace reconciled::test
