// SPDX-License-Identifier: Apache-2.0
// Arguments and answers as text: what is written into an array literal, and what is read from a
// cell.
#include "sql/parameters.hpp"

#include <stdexcept>

#include "sql/rows.hpp"
#include "tests/support/catch.hpp"

namespace reconciled::sql {
namespace {

std::string array_of(std::string_view element) {
  Array array;
  array.add(element);
  return std::move(array).literal();
}

TEST_CASE("an element of an array is quoted, so that it is neither NULL nor syntax",
          "[parameters]") {
  CHECK(array_of("a") == R"({"a"})");
  CHECK(array_of("") == R"({""})");
  CHECK(array_of("NULL") == R"({"NULL"})");
  CHECK(array_of("a,b") == R"({"a,b"})");
  CHECK(array_of("{}") == R"({"{}"})");
  CHECK(array_of(R"(say "hi")") == R"({"say \"hi\""})");
  CHECK(array_of(R"(back\slash)") == R"({"back\\slash"})");
  CHECK(array_of("line\nbreak ' and blank ") == "{\"line\nbreak ' and blank \"}");
  CHECK(array_of("Zürich") == R"({"Zürich"})");
}

TEST_CASE("an array keeps the order of texts, numbers and nulls", "[parameters]") {
  Array array;
  array.add("b").add_null().add(std::int64_t{-7}).add("a");
  CHECK(std::move(array).literal() == R"({"b",NULL,-7,"a"})");
  CHECK(Array().literal() == "{}");
  Array nulls;
  nulls.add_null().add_null();
  CHECK(std::move(nulls).literal() == "{NULL,NULL}");
}

TEST_CASE("parameters are text in their order, and null is no text", "[parameters]") {
  Parameters list;
  list.add("text").add(std::int64_t{-9223372036854775807 - 1}).add_null().add(Array{});
  const std::vector<std::optional<std::string>> wanted{"text", "-9223372036854775808", std::nullopt,
                                                       "{}"};
  CHECK(list.values() == wanted);
}

TEST_CASE("rows are read by row and column, null apart from empty", "[rows]") {
  Rows rows(2);
  for (const auto cell : {std::optional<std::string_view>{"12"}, {}, {"-3"}, {""}}) rows.add(cell);
  REQUIRE(rows.size() == 2);
  CHECK(rows.integer(0, 0) == 12);
  CHECK(rows.is_null(0, 1));
  CHECK(rows.text(0, 1).empty());
  CHECK(rows.integer(1, 0) == -3);
  CHECK_FALSE(rows.is_null(1, 1));
  CHECK_THROWS_AS(rows.text(2, 0), std::out_of_range);
}

TEST_CASE("a cell that is no integer is a defect, not a zero", "[rows]") {
  for (const auto cell : {std::optional<std::string_view>{},
                          {""},
                          {"1.0"},
                          {"12x"},
                          {" 1"},
                          {"9223372036854775808"}}) {
    Rows rows(1);
    rows.add(cell);
    INFO(cell.value_or("null"));
    CHECK_THROWS_AS(rows.integer(0, 0), std::out_of_range);
  }
}

TEST_CASE("a boolean is true for t alone", "[rows]") {
  Rows rows(1);
  for (const auto cell : {std::optional<std::string_view>{"t"}, {"f"}, {}}) rows.add(cell);
  CHECK(rows.boolean(0, 0));
  CHECK_FALSE(rows.boolean(1, 0));
  CHECK_FALSE(rows.boolean(2, 0));
}

TEST_CASE("a statement without columns has no rows", "[rows]") { CHECK(Rows(0).size() == 0); }

}  // namespace
}  // namespace reconciled::sql
