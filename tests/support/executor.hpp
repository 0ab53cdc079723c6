// SPDX-License-Identifier: Apache-2.0
// A service that follows the contract, step by step, over a connection of its own for each call:
// admit, may_submit, create at the provider, record_outcome. A test pauses or ends it between them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "tests/support/session.hpp"

namespace reconciled::test {

/// One message to the server on a connection of its own, as reconciled_admission; `uri` is a
/// superuser's. The first row of its last result as answer_of has it. nullopt: it failed, or its
/// answer was lost, and what became of it is not known.
std::optional<std::string> ask(const std::string& uri, const std::string& sql);

/// Between two steps, in their order.
enum class Point {
  after_admission,  ///< the grant is spent, nothing else has happened
  before_send,      ///< may_submit has said yes
  after_answer      ///< the provider has answered, nothing is recorded
};

/// What ends an executor at a crash point: nothing after it happens.
struct Crashed {};

class Executor {
 public:
  /// `uri` is a superuser's; the executor acts as reconciled_admission. The provider is a
  /// TestProvider on the loopback.
  Executor(std::string uri, std::uint16_t provider_port);

  /// Carries out the n-th operation of admit_token, and says what its caller is told:
  ///   Succeeded, Failed, Unknown  as recorded
  ///   refused                     whatever the detail was
  ///   already STATUS              somebody else has it, or had
  ///   unavailable                 the store did not answer; nothing was sent
  ///   too late                    may_submit said no; nothing was sent
  ///   not recorded                the provider was asked, the outcome is recovery's to find
  /// Throws Crashed.
  std::string carry_out(int n, const Columns& changed = {});

  void crash_at(Point point) { crash_at_ = point; }
  /// From now on whoever comes to the point waits there until resume().
  void pause_at(Point point);
  void wait_until_paused();
  void resume();

 private:
  struct Answer {
    std::string outcome;
    std::string reference;
  };

  Answer create(int n) const;
  void reach(Point point);

  std::string uri_;
  std::uint16_t provider_port_;
  std::optional<Point> crash_at_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Point> pause_at_;
  bool is_paused_ = false;
};

}  // namespace reconciled::test
