// SPDX-License-Identifier: Apache-2.0
#include "retention/facts.hpp"

#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

using Texts = std::vector<std::string>;

Texts texts_of(const std::vector<Refusal>& refusals) {
  Texts texts;
  for (const auto& refusal : refusals) texts.push_back(explain(refusal));
  return texts;
}

MarkFacts sound() {
  MarkFacts facts;
  facts.found = facts.may_raise = true;
  facts.triggers = {{"r.grant_consumptions", "above_mark", Firing::always, "'a', 'b'"}};
  facts.functions = {{"r.refuse", true, "aa", "aa", "reconciled_owner", true, true}};
  return facts;
}

TEST_CASE("what is as installed refuses nothing", "[facts]") {
  CHECK(judge_mark(sound(), "r").empty());
}

TEST_CASE("each trigger that does not always fire refuses, with the statement that helps",
          "[facts]") {
  auto facts = sound();
  facts.triggers[0].firing = Firing::missing;
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0),
             contains_text("r.grant_consumptions: trigger above_mark is missing"));
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0), contains_text("install.sql"));
  facts.triggers[0].firing = Firing::disabled;
  CHECK(texts_of(judge_mark(facts, "r")) ==
        Texts{"r.grant_consumptions: trigger above_mark is disabled (as its owner: ALTER TABLE "
              "r.grant_consumptions ENABLE ALWAYS TRIGGER above_mark)"});
  facts.triggers[0].firing = Firing::not_always;
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0), contains_text("is not ENABLE ALWAYS"));
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0),
             contains_text("ALTER TABLE r.grant_consumptions ENABLE ALWAYS TRIGGER above_mark"));
  facts.triggers.push_back({"r.cleanup_mark", "never_falls", Firing::disabled, ""});
  CHECK(judge_mark(facts, "r").size() == 2);
}

TEST_CASE("a trigger on other columns than the sweep reads refuses, with those it must be on",
          "[facts]") {
  auto facts = sound();
  facts.triggers[0].firing = Firing::other_columns;
  CHECK(texts_of(judge_mark(facts, "r")) ==
        Texts{"r.grant_consumptions: trigger above_mark is not on the columns that "
              "r.grant_consumptions shows as retain_until and operation_id, so it may let through "
              "a second use of a grant whose row was deleted (as its owner: CREATE OR REPLACE "
              "TRIGGER above_mark AFTER INSERT ON r.grant_consumptions FOR EACH ROW EXECUTE "
              "FUNCTION r.refuse_claim_below_mark('a', 'b'); ALTER TABLE r.grant_consumptions "
              "ENABLE ALWAYS TRIGGER above_mark)"});
  facts.triggers[0].arguments = "";
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0), contains_text("show plain columns"));
}

TEST_CASE("a function that is not the installed one refuses, and says in what", "[facts]") {
  struct Case {
    void (*change)(FunctionFact&);
    const char* text;
  };
  const Case cases[] = {
      {[](FunctionFact& f) { f.found = false; }, "function r.refuse() is missing"},
      {[](FunctionFact& f) { f.sha256 = "ab"; }, "its text differs"},
      {[](FunctionFact& f) { f.owner = "alice"; }, "its owner (alice) differs"},
      {[](FunctionFact& f) { f.security_definer = false; }, "SECURITY DEFINER differs"},
      {[](FunctionFact& f) { f.own_search_path = false; }, "search_path"},
  };
  for (const auto& one : cases) {
    auto facts = sound();
    one.change(facts.functions[0]);
    const auto texts = texts_of(judge_mark(facts, "r"));
    REQUIRE(texts.size() == 1);
    CHECK_THAT(texts[0], contains_text(one.text));
    CHECK_THAT(texts[0], contains_text("install.sql"));
  }
}

TEST_CASE("a mark that is not there or cannot be raised refuses", "[facts]") {
  auto facts = sound();
  facts.may_raise = false;
  CHECK(texts_of(judge_mark(facts, "r")) ==
        Texts{"r.cleanup_mark cannot be raised: reconciled_retention may not update it (as its "
              "owner: GRANT SELECT, UPDATE (cut_off) ON r.cleanup_mark TO reconciled_retention)"});
  facts.found = false;
  CHECK_THAT(texts_of(judge_mark(facts, "r")).at(0), contains_text("r.cleanup_mark has no row"));
  CHECK(judge_mark(facts, "r").size() == 1);
}

TEST_CASE("a standby, another server and another database refuse", "[facts]") {
  ServerFacts facts{.now = {}, .system_identifier = "1", .database = "a (oid 5)", .schema = "r"};
  const Identity first{"1", "a (oid 5)"};
  CHECK(judge_server(facts, std::nullopt).empty());
  CHECK(judge_server(facts, first).empty());
  facts.in_recovery = true;
  CHECK_THAT(texts_of(judge_server(facts, first)).at(0), contains_text("in recovery"));
  facts.in_recovery = false;
  facts.system_identifier = "2";
  CHECK(judge_server(facts, std::nullopt).empty());
  const auto other = texts_of(judge_server(facts, first));
  REQUIRE(other.size() == 1);
  CHECK_THAT(other[0], contains_text("was 1 when reconciled started and is 2"));
  CHECK_THAT(other[0], contains_text("restart reconciled"));
  facts.system_identifier = "1";
  facts.database = "b (oid 6)";
  CHECK_THAT(texts_of(judge_server(facts, first)).at(0),
             contains_text("was a (oid 5) when reconciled started and is b (oid 6)"));
}

TEST_CASE("the text names the numbers, and the key does not", "[facts]") {
  const Refusal ahead = HostClockApart{7200s, 5s};
  const Refusal behind = HostClockApart{-9s, 5s};
  CHECK_THAT(explain(ahead), contains_text("is 2h ahead of this host's"));
  CHECK_THAT(explain(behind), contains_text("is 9s behind this host's"));
  CHECK(key_of(ahead) == key_of(behind));
  CHECK_THAT(explain(ClockStepped{-7200s, 5s}), contains_text("jumped back by 2h"));
  CHECK_THAT(explain(ClockStepped{7200s, 5s}), contains_text("jumped ahead by 2h"));
  CHECK_THAT(explain(ClockStepped{7200s, 5s}), contains_text("restart reconciled"));
  CHECK(key_of(TriggerMissing{"a", "t"}) != key_of(TriggerMissing{"b", "t"}));
  CHECK(key_of(TriggerMissing{"a", "t"}) != key_of(TriggerDisabled{"a", "t"}));
}

TEST_CASE("a database that does not let the sweep act is told with what helps", "[facts]") {
  CHECK_THAT(explain(DatabaseTrouble{"raising the mark", "42501", "denied [42501]"}),
             contains_text("raising the mark: denied [42501] (GRANT reconciled_retention"));
  CHECK_THAT(explain(DatabaseTrouble{"looking", "25006", "read-only"}),
             contains_text("name the primary in database.uri"));
  CHECK_THAT(explain(DatabaseTrouble{"looking", "", "gone"}),
             contains_text("tried again after retention.interval"));
}

}  // namespace
}  // namespace reconciled::test
