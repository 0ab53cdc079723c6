// SPDX-License-Identifier: Apache-2.0
// reconciled-contract(7) says what the schema does: functions with their types, and error codes,
// compared both ways.
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/session.hpp"

namespace reconciled::test {
namespace {

/// The page, its continued lines joined.
std::string manual() {
  std::ifstream file(RECONCILED_SOURCE_DIR "/man/reconciled-contract.7");
  REQUIRE(file);
  std::stringstream page;
  page << file.rdbuf();
  return std::regex_replace(page.str(), std::regex("\\\\\n"), "");
}

std::set<std::string> all_matches(const std::string& text, const char* pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end;
       ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

std::set<std::string> column_of(const Database& database, const std::string& sql) {
  std::set<std::string> values;
  for (const auto& row : database.query(sql)) values.insert(row[0].c_str());
  return values;
}

/// What the service may call.
constexpr const char* kCallable =
    "pronamespace = 'reconciled'::regnamespace AND "
    "(has_function_privilege('reconciled_admission', oid, 'EXECUTE') OR "
    "has_function_privilege('reconciled_revocation', oid, 'EXECUTE'))";

/// The types as the page and the SQL files write them.
std::string short_types(const std::string& sql) {
  return "replace(replace(" + sql +
         ", 'timestamp with time zone', 'timestamptz'), 'integer', 'int')";
}

TEST_CASE("the manual has each function of the service with its arguments, and no other",
          "[service]") {
  const auto database = scratch_database();
  // As .Fn has them; "..." stands for the three arguments that name an idempotency key.
  const auto argument = short_types("format_type(type, NULL)");
  const auto schema = column_of(
      database,
      "SELECT replace(proname || ' ' || string_agg('\"' || name || ' ' || " + argument +
          " || CASE WHEN at > pronargs - pronargdefaults THEN ' default null' ELSE '' END || '\"', "
          "' ' ORDER BY at), '\"user_id text\" \"endpoint text\" \"idempotency_key uuid\"', "
          "'\"...\"') FROM pg_proc, unnest(proargnames[:pronargs], proargtypes::oid[]) WITH "
          "ORDINALITY AS arguments (name, type, at) WHERE " +
          kCallable + " GROUP BY pg_proc.oid, proname, pronargs, pronargdefaults");
  CHECK_FALSE(schema.empty());
  CHECK(all_matches(manual(), R"re(\.?Fn ([a-z_]+ ".*"))re") == schema);
}

TEST_CASE("the manual has the columns that each function returns", "[service]") {
  const auto database = scratch_database();
  const auto page = std::regex_replace(manual(), std::regex("\n"), " ");
  for (const auto& columns : column_of(
           database, "SELECT substr(" + short_types("pg_get_function_result(oid)") +
                         ", length('TABLE') + 1) FROM pg_proc WHERE proretset AND " + kCallable)) {
    CAPTURE(columns);
    CHECK(page.find(columns) != std::string::npos);
  }
}

TEST_CASE("the manual has each error code and detail of the contract, and no other", "[service]") {
  const auto database = scratch_database();
  const auto of_functions = [&](const std::string& pattern) {
    return column_of(
        database, "SELECT DISTINCT (regexp_matches(prosrc, '" + pattern +
                      "', 'g'))[1] FROM pg_proc WHERE pronamespace = 'reconciled'::regnamespace");
  };
  CHECK(all_matches(manual(), R"(\.It (RC\d\d\d))") == of_functions(R"(''(RC\d\d\d)'')"));
  const auto page = manual();
  for (const auto& word :
       {"expired", "consumed", "revoked", "operation-id-used", "details-differ", "Admitted",
        "AlreadyAdmittedForThisOperation", "Refused", "Claimed", "InFlight", "Completed",
        "KeyReused", "ResultUnknown", "Mine", "Committed", "Gone", "Replaced"}) {
    CAPTURE(word);
    CHECK(of_functions(std::string("''(") + word + ")''") == std::set<std::string>{word});
    CHECK(page.find(word) != std::string::npos);
  }
}

}  // namespace
}  // namespace reconciled::test
