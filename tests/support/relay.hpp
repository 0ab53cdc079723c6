// SPDX-License-Identifier: Apache-2.0
// What a proxy does with the bytes that it was given: no sockets here.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "tests/support/wire.hpp"

namespace reconciled::test {

enum class Fault {
  none,
  lose_answer,   ///< the server did it; its answer never arrives and the connection is reset
  lose_request,  ///< the connection is reset before the server sees the request
  hold_answer,   ///< the server did it; its answer waits in the proxy until the next plan
  black_hole,    ///< nothing passes in either direction until the next plan, nothing is closed
  refuse         ///< new connections are reset at once
};

/// Which request meets the fault. Empty strings match everything.
struct Plan {
  Fault fault = Fault::none;
  std::string statement = {};  ///< a prepared statement's name, or the start of a simple query's
                               ///< text; for HTTP the start of the request line
  std::string tag = {};        ///< the start of the server's command tag: "COMMIT", "UPDATE"
  int skip = 0;                ///< so many matching requests pass first
  int times = 1;               ///< then so many meet the fault, and all others pass again
};

struct Counts {
  int connections = 0;
  int hits = 0;                           ///< requests that met the fault of any plan so far
  std::map<std::string, int> statements;  ///< requests by prepared statement, query or request line
};

/// The plan in force, shared by all connections of a proxy; safe from any thread.
class Gate {
 public:
  void set(Plan plan);
  Fault fault() const;
  Counts counts() const;
  /// Waits until `hits` requests have met a fault; false if they have not within `at_most`.
  bool wait_for_hits(int hits, std::chrono::seconds at_most = std::chrono::seconds{60}) const;

  void connected();
  void requested(const std::string& statement);
  /// Whether this request meets the fault now. Each yes uses up one of `times`.
  bool takes(Fault fault, std::string_view statement, std::string_view tag);

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Plan plan_;
  Counts counts_;
};

/// What to do with some bytes: forward these, then go on, reset the connection, or (hold) wait for
/// the next plan before anything else is forwarded.
struct Passage {
  enum class Then { go_on, reset, hold };
  std::string forward;
  Then then = Then::go_on;
  std::string after_hold = {};
};

/// One connection's two directions.
class Relay {
 public:
  virtual ~Relay() = default;
  virtual Passage from_client(std::string_view bytes) = 0;
  virtual Passage from_server(std::string_view bytes) = 0;
};

enum class Protocol { postgres, http };
std::unique_ptr<Relay> make_relay(Protocol protocol, Gate& gate);

}  // namespace reconciled::test
