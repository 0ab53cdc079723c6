// SPDX-License-Identifier: Apache-2.0
// From page to page of a listing, and when it must stop: pure, so that each way in which providers
// loop or break off can be tested (design §5).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "reconcile/credits.hpp"
#include "reconcile/json.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

class PageWalk {
 public:
  /// The value of the paging parameter of the next request.
  struct More {
    std::string value;
  };
  struct Last {};
  /// The listing goes on, but is not followed: a cursor that was seen before, an empty page that
  /// says more, or max_pages.
  struct Stuck {
    std::string why;
  };
  /// The answer does not say where to go in the way that the profile declares.
  struct Undeclared {
    std::string why;
  };
  using Turn = std::variant<Last, More, Stuck, Undeclared>;

  /// `paging` must outlive this.
  PageWalk(const Paging& paging, int max_pages) : paging_(paging), max_pages_(max_pages) {}

  /// The name of the query parameter that the next page is asked with; empty without paging.
  const std::string& parameter() const;
  /// Its value in the first request; nullopt if that has none.
  std::optional<std::string> first();
  /// After a page has been read: where to go.
  Turn next(const json::Node& root, const RowsRead& page);

 private:
  Turn announced(const json::Node& root, const RowsRead& page) const;

  const Paging& paging_;
  int max_pages_;
  int pages_ = 0;
  int number_ = 1;  // of the page last read, where we count
  std::set<std::string, std::less<>> seen_;
};

}  // namespace reconciled
