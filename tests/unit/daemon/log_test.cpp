// SPDX-License-Identifier: Apache-2.0
#include "daemon/log.hpp"

#include <set>

#include "daemon/journal.hpp"
#include "daemon/repeat_limit.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

const SteadyTime kBegin{100s};
const EventName kLost = "ownership_lost";
const EventName kRecorded = "recorded";

bool tell(RepeatLimit& limit, const EventName& event, SteadyTime now) {
  return limit.allows(LogLevel::info, event, now);
}

/// How many of so many repeats at one moment are told.
int told(RepeatLimit& limit, const EventName& event, SteadyTime now, int events) {
  int result = 0;
  for (int i = 0; i < events; ++i) result += tell(limit, event, now) ? 1 : 0;
  return result;
}

}  // namespace

TEST_CASE("B42: of a flood the first twenty are told, and the others as a number", "[log]") {
  RepeatLimit limit;
  CHECK(told(limit, kLost, kBegin, 500) == 20);
  CHECK(limit.over(kBegin + 29s).empty());
  const auto over = limit.over(kBegin + 30s);
  REQUIRE(over.size() == 1);
  CHECK(over.front().kind->name == "ownership_lost");
  CHECK(over.front().events == 480);
  CHECK(limit.over(kBegin + 60s).empty());
  CHECK(told(limit, kLost, kBegin + 31s, 30) == 20);
}

TEST_CASE("B42: events about money are never limited", "[log]") {
  RepeatLimit limit;
  CHECK(told(limit, kRecorded, kBegin, 300) == 300);
  CHECK(told(limit, "idempotency_answer_lost", kBegin, 300) == 300);
  CHECK(limit.over(SteadyTime::max()).empty());
}

TEST_CASE("one sort of an event does not hide another", "[log]") {
  RepeatLimit limit;
  CHECK(told(limit, kRecorded.repeating("unreachable"), kBegin, 100) == 20);
  CHECK(told(limit, kRecorded.repeating("pending"), kBegin, 1) == 1);
  CHECK(told(limit, kLost, kBegin, 1) == 1);
  const auto over = limit.over(SteadyTime::max());
  REQUIRE(over.size() == 1);
  CHECK(over.front().sort == "unreachable");
  CHECK(over.front().events == 80);
}

TEST_CASE("a window without anything suppressed says nothing", "[log]") {
  RepeatLimit limit;
  CHECK(told(limit, kLost, kBegin, 20) == 20);
  CHECK(limit.over(SteadyTime::max()).empty());
}

TEST_CASE("the table's events are unique, and so are their ids", "[log]") {
  std::set<std::string_view> names;
  std::set<std::string_view> ids;
  for (const auto& kind : kEvents) {
    INFO(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK(ids.insert(kind.message_id).second);
    CHECK(kind.message_id.size() == 32);
    CHECK(kind.message_id.find_first_not_of("0123456789abcdef") == std::string_view::npos);
  }
}

TEST_CASE("JOURNAL_STREAM names standard error by device and inode, and nothing else does",
          "[log]") {
  CHECK(names_stream("8:1234", 8, 1234));
  for (const auto* other : {"", "8:1235", "9:1234", "8:12345", "8:1234:", "8", ":", "1234:8"}) {
    INFO(other);
    CHECK_FALSE(names_stream(other, 8, 1234));
  }
}

TEST_CASE("an event in the journal has its fields, its priority and its id", "[log]") {
  const EventName event = "recorded";
  const Field facts[] = {{"operation_id", "6fa459ea"},
                         {"owner_version", std::int64_t{2}},
                         {"provider_reference", ""},
                         {"duration_us", std::int64_t{1500}},
                         {"why", "two\nlines"}};
  const auto fields = journal_fields(LogLevel::error, event.kind(), "a sentence", facts);
  CHECK(fields ==
        std::vector<std::string>{"MESSAGE=a sentence", "PRIORITY=3",
                                 "MESSAGE_ID=" + std::string(event.kind().message_id),
                                 "SYSLOG_IDENTIFIER=reconciled", "RECONCILED_EVENT=recorded",
                                 "RECONCILED_OPERATION_ID=6fa459ea", "RECONCILED_OWNER_VERSION=2",
                                 "RECONCILED_DURATION_USEC=1500", "RECONCILED_WHY=two\nlines"});
}

TEST_CASE("each level has its priority in the journal", "[log]") {
  const EventName event = "started";
  const auto priority = [&](LogLevel level) {
    return journal_fields(level, event.kind(), "", {}).at(1);
  };
  CHECK(priority(LogLevel::trace) == "PRIORITY=7");
  CHECK(priority(LogLevel::debug) == "PRIORITY=7");
  CHECK(priority(LogLevel::info) == "PRIORITY=6");
  CHECK(priority(LogLevel::warn) == "PRIORITY=4");
  CHECK(priority(LogLevel::error) == "PRIORITY=3");
}
