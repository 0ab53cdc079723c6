// SPDX-License-Identifier: Apache-2.0
// What each SQLSTATE means for the process and for a batch.
#include "sql/error.hpp"

#include <stdexcept>

#include "tests/support/catch.hpp"

namespace reconciled::sql {
namespace {

Error refused(const char* state) { return {Trouble::refused, state, "words"}; }

TEST_CASE("the exit code follows from the SQLSTATE", "[error]") {
  struct Case {
    const char* state;
    ExitCode code;
  };
  const auto [state, code] = GENERATE(values<Case>({{"25006", ExitCode::try_later},
                                                    {"28000", ExitCode::permission},
                                                    {"28P01", ExitCode::permission},
                                                    {"42501", ExitCode::permission},
                                                    {"3D000", ExitCode::configuration},
                                                    {"3F000", ExitCode::configuration},
                                                    {"42P01", ExitCode::schema},
                                                    {"42703", ExitCode::schema},
                                                    {"42883", ExitCode::schema},
                                                    {"57014", ExitCode::unavailable},
                                                    {"53300", ExitCode::unavailable},
                                                    {"57P03", ExitCode::unavailable},
                                                    {"", ExitCode::unavailable}}));
  INFO(state);
  CHECK(exit_code(refused(state)) == code);
  CHECK(exit_code({Trouble::not_connected, state, ""}) == code);
}

TEST_CASE("the fault of a row is told from the fault of the database", "[error]") {
  for (const auto* state :
       {"22003", "22P02", "23505", "23514", "42501", "55P03", "40P01", "P0001"}) {
    INFO(state);
    CHECK(is_fault_of_a_row(refused(state)));
    CHECK_FALSE(is_fault_of_a_row({Trouble::in_doubt, state, ""}));
    CHECK_FALSE(is_fault_of_a_row({Trouble::not_connected, state, ""}));
  }
  for (const auto* state :
       {"", "57014", "40001", "42P01", "42883", "53100", "25006", "P0002", "XX000"}) {
    INFO(state);
    CHECK_FALSE(is_fault_of_a_row(refused(state)));
  }
}

TEST_CASE("read-only is known by its code", "[error]") {
  CHECK(is_read_only(refused("25006")));
  CHECK_FALSE(is_read_only(refused("25001")));
}

TEST_CASE("an error prints its code where it has one", "[error]") {
  CHECK(to_string(refused("22003")) == "words [22003]");
  CHECK(to_string(refused("")) == "words");
}

TEST_CASE("an error that nobody looked at is a defect", "[error]") {
  const Result<int> answer = refused("22003");
  CHECK_THROWS_AS(answer.value(), std::logic_error);
}

}  // namespace
}  // namespace reconciled::sql
