// SPDX-License-Identifier: Apache-2.0
#include "base/secret.hpp"

#include <fmt/format.h>

#include <ostream>
#include <type_traits>

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

template <class T>
concept Streamable = requires(std::ostream& out, const T& value) {
  out << value;
};

}  // namespace

TEST_CASE("a secret cannot be printed or copied by accident", "[secret]") {
  STATIC_REQUIRE_FALSE(Streamable<Secret>);
  STATIC_REQUIRE_FALSE(fmt::is_formattable<Secret>::value);
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<Secret>);
  STATIC_REQUIRE_FALSE(std::is_copy_assignable_v<Secret>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Secret, std::string_view>);
}

TEST_CASE("a secret moves, and is copied by name", "[secret]") {
  Secret first{"tok"};
  const Secret copied = first.copy();
  Secret moved{std::move(first)};
  CHECK(moved.reveal() == "tok");
  CHECK(copied.reveal() == "tok");
  CHECK(first.empty());  // NOLINT: what a move leaves is promised
  first = std::move(moved);
  CHECK(first.reveal() == "tok");
  CHECK(moved.reveal().empty());  // NOLINT
  auto& same = first;
  first = std::move(same);
  CHECK(first.reveal() == "tok");
  CHECK(Secret{}.empty());
  CHECK(Secret{""}.reveal().empty());
}
