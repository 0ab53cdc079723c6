// SPDX-License-Identifier: Apache-2.0
// record, hand_back and postpone: every row fenced on its own, evidence only of what was written.
#include "sql/statements.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

namespace statements = sql::statements;

constexpr const char* kToken = "11111111-1111-4111-8111-111111111111";
constexpr const char* kOther = "22222222-2222-4222-8222-222222222222";

struct Row {
  int n = 1;
  std::string version = "2";
  std::optional<std::string> token = kToken;
  std::string status = "Unknown";
  std::string wait_us = "30000000";
  std::optional<std::string> no_later_than_us = std::nullopt;
  std::optional<std::string> reference = std::nullopt;
  std::string finding = "absent";
  std::optional<std::string> http_status = "200";
  std::optional<std::string> detail = std::nullopt;
  std::string step = "lookup";
  std::optional<std::string> not_before_us = std::nullopt;
};

Arguments record_arguments(const std::vector<Row>& rows) {
  std::vector<Arguments> columns(13);
  for (const auto& row : rows) {
    const Arguments values{operation_id(row.n), row.version,          row.token,     row.status,
                           row.wait_us,         row.no_later_than_us, row.reference, row.finding,
                           "because",           row.http_status,      "1",           "1500",
                           row.detail};
    for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
  }
  Arguments arguments;
  for (const auto& column : columns) arguments.emplace_back(array_of(column));
  arguments.emplace_back("instance-1");
  Arguments steps;
  Arguments not_before;
  for (const auto& row : rows) {
    steps.emplace_back(row.step);
    not_before.push_back(row.not_before_us);
  }
  arguments.emplace_back(array_of(steps));
  arguments.emplace_back(array_of(not_before));
  return arguments;
}

std::vector<std::string> ids(const pqxx::result& rows) {
  std::vector<std::string> found;
  for (const auto& row : rows) found.emplace_back(row[0].c_str());
  return found;
}

std::vector<std::string> record(Session& session, const std::vector<Row>& rows) {
  return ids(session.run(statements::record, record_arguments(rows)));
}

/// Owned as after a takeover, with a minute of lease left.
std::string owned(int n, const Columns& columns = {}) {
  Columns all{{"owner_version", "2"},
              {"owner_token", "'" + std::string(kToken) + "'"},
              {"lease_until", "clock_timestamp() + interval '1 minute'"}};
  for (const auto& [name, value] : columns) all[name] = value;
  return insert_operation(n, all);
}

std::string operations_of(const Database& database) {
  return database.query_value(
      "SELECT string_agg(operations::text, E'\\n' ORDER BY operation_id) FROM operations");
}

TEST_CASE("a verdict is recorded with its evidence and gives ownership up", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1));
  Session recovery(database);
  const auto* status = GENERATE("Succeeded", "Unknown", "NeedsReconciliation");
  const Row row{.status = status, .reference = "cr_1", .finding = "found", .detail = "[1]"};
  REQUIRE(record(recovery, {row}) == std::vector{operation_id(1)});
  CHECK(database.query_value("SELECT concat_ws(' ', status, owner_version, provider_reference, "
                             "owner_token IS NULL) FROM operations") ==
        std::string(status) + " 2 cr_1 t");
  CHECK(database.query_value("SELECT concat_ws(' ', owner_version, owner_token, instance, step, "
                             "finding, decision, reason, provider_reference, http_status, pages, "
                             "extract(epoch FROM duration), detail) FROM recovery_evidence") ==
        "2 " + std::string(kToken) + " instance-1 lookup found " + status +
            " because cr_1 200 1 0.001500 [1]");
  CHECK(database.query_value("SELECT observed_at BETWEEN now() - interval '1 min' AND now() "
                             "FROM recovery_evidence") == "t");
}

TEST_CASE("only an Unknown moves the lease, to the next look", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1) + owned(2) + owned(3));
  Session recovery(database);
  record(recovery,
         {{.n = 1}, {.n = 2, .status = "Succeeded"}, {.n = 3, .status = "NeedsReconciliation"}});
  CHECK(database.query_value("SELECT lease_until BETWEEN clock_timestamp() + interval '1 s' AND "
                             "clock_timestamp() + interval '30 s' FROM operations "
                             "WHERE status = 'Unknown'") == "t");
  CHECK(database.query_value("SELECT count(*) FROM operations WHERE status <> 'Unknown' AND "
                             "lease_until BETWEEN clock_timestamp() + interval '31 s' AND "
                             "clock_timestamp() + interval '60 s'") == "2");
}

TEST_CASE("the next look is the earlier of the wait and its bound", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1) + owned(2));
  Session recovery(database);
  record(recovery, {{.n = 1, .no_later_than_us = "1580702706789012"},
                    {.n = 2, .no_later_than_us = "4000000000000001"}});
  const std::string lease =
      "SELECT lease_until = timestamptz '2020-02-03T04:05:06.789012Z' FROM "
      "operations WHERE operation_id = '";
  CHECK(database.query_value(lease + operation_id(1) + "'") == "t");
  CHECK(database.query_value("SELECT lease_until < clock_timestamp() + interval '31 s' FROM "
                             "operations WHERE operation_id = '" +
                             operation_id(2) + "'") == "t");
}

TEST_CASE("a verdict without a reference keeps the one that is there", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1, {{"provider_reference", "'cr_0'"}}) +
                   owned(2, {{"provider_reference", "'cr_0'"}}));
  Session recovery(database);
  record(recovery, {{.n = 1}, {.n = 2, .reference = "cr_1"}});
  CHECK(database.query_value("SELECT string_agg(provider_reference, ' ' ORDER BY operation_id) "
                             "FROM operations") == "cr_0 cr_1");
  // Evidence says what this look saw.
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence WHERE provider_reference IS "
                             "NULL") == "1");
}

TEST_CASE("a verdict whose fence does not hold changes nothing and leaves no evidence",
          "[record]") {
  const auto database = scratch_database();
  const auto lost = GENERATE(values<Row>({{.version = "1"},
                                          {.version = "3"},
                                          {.token = kOther},
                                          {.token = std::nullopt},
                                          {.n = 9},
                                          {.status = "Failed"},
                                          {.status = "Admitted"}}));
  database.execute(owned(1) + owned(2));
  const auto before = database.query_value(
      "SELECT operations::text FROM operations WHERE "
      "operation_id = '" +
      operation_id(1) + "'");
  Session recovery(database);
  // The row beside it is recorded all the same.
  CHECK(record(recovery, {lost, {.n = 2}}) == std::vector{operation_id(2)});
  CHECK(database.query_value("SELECT operations::text FROM operations WHERE operation_id = '" +
                             operation_id(1) + "'") == before);
  CHECK(database.query_value("SELECT string_agg(operation_id::text, ' ') FROM "
                             "recovery_evidence") == operation_id(2));
}

TEST_CASE("a row that nobody owns is not recorded", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1, {{"owner_token", "NULL"}}));
  Session recovery(database);
  CHECK(record(recovery, {{.token = std::nullopt}}).empty());
  CHECK(record(recovery, {{}}).empty());
}

TEST_CASE("a final row is not recorded, whatever its version and token, by anybody", "[record]") {
  const auto database = scratch_database();
  const auto* status = GENERATE("Succeeded", "Failed", "NeedsReconciliation");
  database.execute(owned(1, {{"status", "'" + std::string(status) + "'"}}));
  const auto before = operations_of(database);
  // As the superuser, so that it is the statement that refuses and not the policy.
  Session session(database, kSuperuser, "");
  CHECK(record(session, {{}}).empty());
  CHECK(session
            .run(statements::hand_back,
                 {array_of({operation_id(1)}), "{2}", array_of({kToken}), "instance-1"})
            .empty());
  CHECK(session.run(statements::postpone, {operation_id(1), "2", kToken, "1"}).empty());
  CHECK(operations_of(database) == before);
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "0");
}

TEST_CASE("a row with an error fails the whole batch, and leaves nothing", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1) + owned(2));
  const auto before = operations_of(database);
  Session recovery(database);
  CHECK(recovery.failure_of(statements::record,
                            record_arguments({{.n = 1}, {.n = 2, .finding = "guessed"}})) ==
        "23514");
  CHECK(recovery.failure_of(statements::record,
                            record_arguments({{.n = 1}, {.n = 2, .detail = "not-json"}})) ==
        "22P02");
  CHECK(operations_of(database) == before);
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "0");
}

TEST_CASE("a second verdict under the same ownership matches nothing", "[record]") {
  const auto database = scratch_database();
  database.execute(owned(1));
  Session recovery(database);
  CHECK(record(recovery, {{}}).size() == 1);
  CHECK(record(recovery, {{}}).empty());
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "1");
}

TEST_CASE("recorded means evidence with a verdict of this operation, version and token",
          "[record]") {
  const auto database = scratch_database();
  const std::string token = "'" + std::string(kToken) + "'";
  const auto* decision = GENERATE("Succeeded", "Unknown", "NeedsReconciliation", "Sending",
                                  "handed-back", "CannotDetermine");
  database.execute(insert_evidence(
      1, {{"owner_token", token}, {"decision", "'" + std::string(decision) + "'"}}));
  const bool verdict = std::string(decision) == "Succeeded" || std::string(decision) == "Unknown" ||
                       std::string(decision) == "NeedsReconciliation";
  Session recovery(database);
  const auto read_back = [&](int n, const char* version, const char* by) {
    return ids(recovery.run(statements::read_back_record,
                            {array_of({operation_id(n), operation_id(7)}), array_of({version, "2"}),
                             array_of({by, kToken})}));
  };
  CHECK(read_back(1, "2", kToken).size() == (verdict ? 1U : 0U));
  CHECK(read_back(1, "3", kToken).empty());
  CHECK(read_back(1, "2", kOther).empty());
  CHECK(read_back(2, "2", kToken).empty());
}

TEST_CASE("a handback gives up what is owned, due at once, with evidence", "[hand_back]") {
  const auto database = scratch_database();
  const auto* status = GENERATE("Admitted", "Unknown");
  database.execute(owned(1, {{"status", "'" + std::string(status) + "'"}}) + owned(2) + owned(3));
  Session recovery(database);
  const auto given = ids(recovery.run(
      statements::hand_back, {array_of({operation_id(1), operation_id(2), operation_id(3)}),
                              "{2,1,2}", array_of({kToken, kToken, kOther}), "instance-1"}));
  CHECK(given == std::vector{operation_id(1)});
  CHECK(database.query_value("SELECT concat_ws(' ', status, owner_version, lease_until <= "
                             "clock_timestamp()) FROM operations WHERE owner_token IS NULL") ==
        std::string(status) + " 2 t");
  CHECK(database.query_value("SELECT count(*) FROM operations WHERE lease_until > now()") == "2");
  CHECK(database.query_value("SELECT concat_ws(' ', operation_id, owner_version, owner_token, "
                             "instance, step, decision, reason, finding IS NULL) "
                             "FROM recovery_evidence") ==
        operation_id(1) + " 2 " + kToken + " instance-1 handback handed-back shutdown t");
}

TEST_CASE("postponing moves the lease and nothing else", "[postpone]") {
  const auto database = scratch_database();
  database.execute(owned(1));
  Session recovery(database);
  const auto postpone = [&](int n, const char* version, const char* token) {
    return ids(recovery.run(statements::postpone, {operation_id(n), version, token, "600000000"}));
  };
  const auto before = operations_of(database);
  CHECK(postpone(2, "2", kToken).empty());
  CHECK(postpone(1, "1", kToken).empty());
  CHECK(postpone(1, "2", kOther).empty());
  CHECK(operations_of(database) == before);
  CHECK(postpone(1, "2", kToken) == std::vector{operation_id(1)});
  CHECK(database.query_value("SELECT concat_ws(' ', status, owner_version, owner_token, "
                             "lease_until BETWEEN clock_timestamp() + interval '9 min' AND "
                             "clock_timestamp() + interval '10 min') FROM operations") ==
        "Admitted 2 " + std::string(kToken) + " t");
  CHECK(database.query_value("SELECT count(*) FROM recovery_evidence") == "0");
}

}  // namespace
}  // namespace reconciled::test
