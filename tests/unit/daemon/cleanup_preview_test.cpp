// SPDX-License-Identifier: Apache-2.0
#include "daemon/cleanup_preview.hpp"

#include "tests/support/catch.hpp"

namespace reconciled::test {
namespace {

CleanupPreview sample() {
  CleanupPreview preview;
  preview.cut_off = DatabaseTime{Duration{1'767'323'045'000'006}};
  preview.mark = MarkFacts{true, true, DatabaseTime{Duration{1'767'323'000'000'000}}, {}, {}};
  preview.consumptions = std::vector<DayCount>{{"2026-01-01", 12, 0}, {"2026-01-02", 3, 0}};
  preview.idempotency_records = std::vector<DayCount>{{"2026-01-02", 5, 2}};
  return preview;
}
RetentionSettings both(bool records) {
  RetentionSettings retention;
  retention.consumptions = true;
  retention.idempotency_records = records;
  return retention;
}

TEST_CASE("a dry run shows cut-off, mark and the counts by day", "[preview]") {
  CHECK(cleanup_text(sample(), both(true)) ==
        "cleanup: cut-off 2026-01-02T03:04:05.000006Z, mark 2026-01-02T03:03:20Z\n"
        "  grant_consumptions: 15 would go\n"
        "    2026-01-01          12\n"
        "    2026-01-02           3\n"
        "  idempotency_records: 5 would go\n"
        "    2026-01-02           5  of which answers lost 2\n");
}

TEST_CASE("a dry run says what is off, not visible, unknown, and what would refuse", "[preview]") {
  auto preview = sample();
  CHECK_THAT(cleanup_text(preview, both(false)),
             contains_text("5 expired, and retention.idempotency_records is off"));
  preview.mark->cut_off.reset();
  preview.refusals = {InRecovery{}};
  preview.idempotency_records = sql::Error{sql::Trouble::refused, "42501", "denied"};
  preview.consumptions = sql::Error{sql::Trouble::refused, "57014", "too slow"};
  const auto text = cleanup_text(preview, both(true));
  CHECK_THAT(text, contains_text("mark -infinity\n  would refuse: the server is in recovery"));
  CHECK_THAT(text, contains_text("idempotency_records: not visible to this role\n"));
  CHECK_THAT(text, contains_text("grant_consumptions: too slow [57014]\n"));
  preview.mark.reset();
  preview.cut_off.reset();
  CHECK_THAT(cleanup_text(preview, both(true)), contains_text("cut-off unknown, mark unknown\n"));
}

TEST_CASE("the same in JSON, one object a line", "[preview]") {
  auto preview = sample();
  preview.refusals = {InRecovery{}};
  preview.idempotency_records = sql::Error{sql::Trouble::refused, "42501", "denied"};
  CHECK(cleanup_json(preview, both(true)) ==
        "{\"cleanup\":\"sweep\",\"cut_off\":\"2026-01-02T03:04:05.000006Z\","
        "\"mark\":\"2026-01-02T03:03:20Z\",\"permitted\":false}\n"
        "{\"cleanup\":\"refusal\",\"why\":\"" +
            explain(InRecovery{}) +
            "\"}\n"
            "{\"cleanup\":\"table\",\"table\":\"grant_consumptions\",\"enabled\":true,"
            "\"visible\":true}\n"
            "{\"cleanup\":\"day\",\"table\":\"grant_consumptions\",\"day\":\"2026-01-01\","
            "\"rows\":12,\"answers_lost\":0}\n"
            "{\"cleanup\":\"day\",\"table\":\"grant_consumptions\",\"day\":\"2026-01-02\","
            "\"rows\":3,\"answers_lost\":0}\n"
            "{\"cleanup\":\"table\",\"table\":\"idempotency_records\",\"enabled\":true,"
            "\"visible\":false}\n");
  preview.cut_off.reset();
  preview.mark.reset();
  CHECK_THAT(cleanup_json(preview, both(true)),
             contains_text("\"cut_off\":null,\"mark\":null,\"permitted\":false"));
}

}  // namespace
}  // namespace reconciled::test
