// SPDX-License-Identifier: Apache-2.0
#include "base/ids.hpp"

#include <set>

#include "tests/support/catch.hpp"

using namespace reconciled;

TEST_CASE("a uuid is read in either case and printed in lower case", "[ids]") {
  const auto uuid = parse_uuid("0123ABCD-4567-89eF-0000-ffffFFFF0001");
  REQUIRE(uuid);
  CHECK(to_string(*uuid) == "0123abcd-4567-89ef-0000-ffffffff0001");
  CHECK(uuid->bytes.front() == 0x01);
  CHECK(uuid->bytes.back() == 0x01);
}

TEST_CASE("anything but the 36 letter form is no uuid", "[ids]") {
  const auto text =
      GENERATE(as<std::string_view>{}, "", "0123abcd", "0123abcd456789ef0000ffffffff0001",
               "{0123abcd-4567-89ef-0000-ffffffff0001}", "0123abcd-4567-89ef-0000-ffffffff000g",
               "0123abcd-4567-89ef-0000-ffffffff00011", "0123abcd-4567-89ef-0000_ffffffff0001",
               "0123abcd-456789-ef-0000-ffffffff0001", " 123abcd-4567-89ef-0000-ffffffff0001");
  CHECK_FALSE(parse_uuid(text));
}

TEST_CASE("an owner token is random, of version 4, and survives printing", "[ids]") {
  std::set<OwnerToken> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto token = random_owner_token();
    const auto text = to_string(token);
    CHECK(text[14] == '4');
    CHECK(std::string_view("89ab").find(text[19]) != std::string_view::npos);
    CHECK(parse_uuid(text) == token.value);
    seen.insert(token);
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("operation ids that differ in one byte hash apart", "[ids]") {
  std::set<std::size_t> hashes;
  for (std::size_t at = 0; at < 16; ++at) {
    OperationId id;
    id.value.bytes[at] = 1;
    hashes.insert(std::hash<OperationId>{}(id));
  }
  CHECK(hashes.size() == 16);
}

TEST_CASE("owner versions start at one and are ordered", "[ids]") {
  CHECK(OwnerVersion{} == OwnerVersion{1});
  CHECK(OwnerVersion{2} > OwnerVersion{1});
}
