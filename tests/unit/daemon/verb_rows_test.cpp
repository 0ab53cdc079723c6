// SPDX-License-Identifier: Apache-2.0
// What a person and a program see of rows: words, times, JSON.
#include "daemon/verb_rows.hpp"

#include "daemon/time_line.hpp"
#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

using Cell = std::optional<std::string_view>;
using Cells = std::vector<std::pair<std::string_view, Cell>>;

/// One row with these cells, nulls elsewhere.
sql::Rows row_of(std::span<const Column> columns, const Cells& cells) {
  sql::Rows rows(columns.size());
  for (const auto& column : columns) {
    Cell value;
    for (const auto& [name, cell] : cells)
      if (name == column.name) value = cell;
    rows.add(value);
  }
  return rows;
}

// 2026-12-01T04:00:00Z, and later.
constexpr const char* kAdmitted = "1796097600000000";
constexpr const char* kMinuteLater = "1796097660250000";
constexpr const char* kHourLater = "1796101200000000";

sql::Rows operation(const Cells& cells) {
  Cells all{{"operation_id", "6fa459ea-ee8a-4ca4-894e-db77e160355e"},
            {"issuer", "shop"},
            {"grant_id", "g-1"},
            {"caller_id", "web"},
            {"account_id", "A-1"},
            {"amount", "250.00"},
            {"currency", "USD"},
            {"status", "Unknown"},
            {"owner_version", "3"},
            {"lease_until", kHourLater},
            {"submit_by", kHourLater},
            {"created_at", kAdmitted},
            {"as_of", kMinuteLater}};
  all.insert(all.end(), cells.begin(), cells.end());
  return row_of(operation_columns(), all);
}

std::string ending(const Cells& cells) {
  const auto rows = operation(cells);
  return TimeLine::end({rows, 0, operation_columns()});
}

std::string told(const Cells& cells) {
  const auto rows = row_of(time_line_columns(), cells);
  return TimeLine().add({rows, 0, time_line_columns()});
}

}  // namespace

TEST_CASE("JSON has the column names, nulls, exact amounts and RFC 3339 times", "[verbs]") {
  const auto rows = operation({{"provider_context", R"({"wallet": "w\"1"})"}});
  const auto json = row_json(rows, 0, operation_columns());
  CHECK(json ==
        "{\"operation_id\":\"6fa459ea-ee8a-4ca4-894e-db77e160355e\",\"issuer\":\"shop\","
        "\"grant_id\":\"g-1\",\"caller_id\":\"web\",\"account_id\":\"A-1\",\"amount\":\"250.00\","
        "\"currency\":\"USD\",\"status\":\"Unknown\",\"owner_version\":3,\"owner_token\":null,"
        "\"lease_until\":\"2026-12-01T05:00:00Z\",\"submit_by\":\"2026-12-01T05:00:00Z\","
        "\"created_at\":\"2026-12-01T04:00:00Z\",\"provider_context\":{\"wallet\": \"w\\\"1\"},"
        "\"provider_reference\":null,\"as_of\":\"2026-12-01T04:01:00.250000Z\"}\n");
}

TEST_CASE("a time that is none is said to be, and a duration is in seconds", "[verbs]") {
  const Column columns[] = {{"a", ColumnKind::time},
                            {"b", ColumnKind::time},
                            {"c", ColumnKind::time},
                            {"d", ColumnKind::seconds}};
  const auto rows =
      row_of(columns,
             {{"a", "Infinity"}, {"b", "-Infinity"}, {"c", "9224318015999999999"}, {"d", "1500"}});
  CHECK(row_json(rows, 0, columns) ==
        "{\"a\":\"after all time\",\"b\":\"before all time\","
        "\"c\":\"after all time\",\"d\":0.001500}\n");
  const NamedRow row(rows, 0, columns);
  CHECK_FALSE(row.time("a"));
  CHECK(row.time_text("b") == "before all time");
  CHECK_THROWS_AS(row.text("nowhere"), std::out_of_range);
}

TEST_CASE("an age takes three characters up to a thousand days", "[verbs]") {
  CHECK(rough(-5s) == "0s");
  CHECK(rough(99s) == "99s");
  CHECK(rough(100s) == "1m");
  CHECK(rough(5999s) == "99m");
  CHECK(rough(6000s) == "1h");
  CHECK(rough(47h) == "47h");
  CHECK(rough(48h) == "2d");
  CHECK(rough(999 * 24h) == "999d");
}

TEST_CASE("the time line says what was seen, how long after the step before, and why", "[verbs]") {
  const auto rows = operation({});
  TimeLine line;
  CHECK(line.begin({rows, 0, operation_columns()}) ==
        "\nTIME                 AFTER WHAT\n"
        "2026-12-01T04:00:00Z       admitted for web\n");
  const auto evidence = row_of(time_line_columns(), {{"step", "lookup"},
                                                     {"instance", "db-1"},
                                                     {"owner_version", "2"},
                                                     {"observed_at", kMinuteLater},
                                                     {"finding", "no-answer"},
                                                     {"http_status", "502"},
                                                     {"pages", "0"},
                                                     {"duration", "1500"},
                                                     {"why", "gateway"},
                                                     {"decision", "Unknown"},
                                                     {"reason", "no-answer"}});
  CHECK(line.add({evidence, 0, time_line_columns()}) ==
        "2026-12-01T04:01:00Z   60s looked up by db-1, version 2: no-answer, status 502,\n"
        "                           2ms: gateway\n"
        "                           -> Unknown (no-answer)\n");
}

TEST_CASE("each step has its own words", "[verbs]") {
  const Cells person{{"actor", "alice"}, {"login", "ops"}, {"observed_at", kAdmitted}};
  const auto with = [&](Cells cells) {
    cells.insert(cells.end(), person.begin(), person.end());
    return told(cells);
  };
  CHECK(with({{"step", "recheck"}, {"decision", "Unknown"}, {"why", "they fixed it"}})
            .find("sent back to be looked at by alice (database user\n") != std::string::npos);
  const auto resolved = with({{"step", "resolution"},
                              {"decision", "Failed"},
                              {"reason", "never arrived -> really"},
                              {"provider_reference", "cr_1"}});
  CHECK(resolved.find("provider was not asked") != std::string::npos);
  CHECK(resolved.find("-> Failed (never arrived -> really)") != std::string::npos);
  CHECK(with({{"step", "late"}, {"instance", "i"}, {"finding", "found"}, {"decision", "credit"}})
            .find("looked up late by i: found") != std::string::npos);
  CHECK(with({{"step", "executor"}, {"decision", "Succeeded"}}).find("reported by the service") !=
        std::string::npos);
  CHECK(with({{"step", "handback"},
              {"instance", "i"},
              {"owner_version", "2"},
              {"decision", "handed-back"},
              {"reason", "shutdown"}})
            .find("handback by i, version 2\n") != std::string::npos);
}

TEST_CASE("the end of a time line says what comes next", "[verbs]") {
  CHECK(ending({}).find("the next look is due 2026-12-01T05:00:00Z (in 58m)") != std::string::npos);
  CHECK(ending({{"owner_token", "t"}}).find("in flight, its lease ends 2026") != std::string::npos);
  CHECK(ending({{"lease_until", kAdmitted}}).find("due since 2026-12-01T04:00:00Z (60s ago)") !=
        std::string::npos);
  CHECK(ending({{"status", "Succeeded"}}).find("nothing: this is final") != std::string::npos);
  CHECK(ending({{"status", "NeedsReconciliation"}}).find("a person decides:") != std::string::npos);
  CHECK(ending({{"lease_until", "Infinity"}}).find("due since after all time") !=
        std::string::npos);
}

TEST_CASE("what others wrote cannot drive the terminal", "[verbs]") {
  const auto rows = operation({{"account_id", "\x1b]0;x\x07"}, {"status", "\x1b[2J"}});
  CHECK(operation_text({rows, 0, operation_columns()}).find('\x1b') == std::string::npos);
  CHECK(told({{"step", "recheck"}, {"why", "\x1b[2J"}, {"decision", "Unknown"}}).find('\x1b') ==
        std::string::npos);
}
