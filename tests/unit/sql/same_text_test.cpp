// SPDX-License-Identifier: Apache-2.0
// Three statements return what a lookup needs. SQL has no way to share the text that makes it out
// of the rows: it is repeated in each, and must stay the same.
#include <string>
#include <vector>

#include "sql/statements.hpp"
#include "tests/support/catch.hpp"

namespace reconciled::sql {
namespace {

/// All of `text` from where the rows are known on.
std::string from_rows_on(const std::string& text) {
  const auto begin = text.find("\n)\nSELECT\n");
  REQUIRE(begin != std::string::npos);
  return text.substr(begin);
}

/// `text` with each of `parts` taken out; each must be there once.
std::string without(std::string text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) {
    INFO(part);
    const auto at = text.find(part);
    REQUIRE(at != std::string::npos);
    text.erase(at, part.size());
    CHECK(text.find(part) == std::string::npos);
  }
  return text;
}

}  // namespace

TEST_CASE("what a lookup needs is made out of the rows by the same text everywhere", "[same]") {
  const auto taken = from_rows_on(statements::take_over.text);
  CHECK(taken.size() > 1500);
  CHECK(from_rows_on(statements::read_back_takeover.text) == taken);

  // A preview shows the status as well, pages by the id, and the version before the takeover.
  const auto preview = from_rows_on(statements::preview_due.text);
  CHECK(without(preview, {",\n  status", ", status", ", operation_id", "owner_version > 1"}) ==
        without(taken, {"owner_version > 2"}));
}

}  // namespace reconciled::sql
