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
    bool is_number = false;  ///< in a body it stands without quotes
  };
  /// The whole URL of the next request; of our origin.
  struct Follow {
    std::string url;
  };
  struct Last {};
  /// The listing goes on, but is not followed: a cursor that was seen before, an empty page that
  /// says more, a URL that leads elsewhere, or max_pages; or it ended before its own total.
  struct Stuck {
    std::string why;
  };
  /// The answer does not say where to go in the way that the profile declares.
  struct Undeclared {
    std::string why;
  };
  using Turn = std::variant<Last, More, Follow, Stuck, Undeclared>;

  /// The references must outlive this. `pages_before`: of the same lookup, which count as well.
  PageWalk(const Paging& paging, const TotalRule& total, int max_pages, int pages_before = 0)
      : paging_(paging), total_rule_(total), max_pages_(max_pages), pages_(pages_before) {}

  /// The name of the parameter that the next page is asked with; empty if there is none.
  const std::string& parameter() const;
  bool in_body() const;
  /// Its value in the first request, a number; nullopt if that has none.
  std::optional<std::string> first();
  /// After a page has been read: where to go. `url` is what was asked.
  Turn next(const json::Node& root, const RowsRead& page, const HttpAnswer& answer,
            const std::string& url);

 private:
  Turn announced(const json::Node& root, const RowsRead& page, const HttpAnswer& answer,
                 const std::string& url) const;
  Turn counted(const PagePaging& paging, const json::Node& root, const RowsRead& page) const;
  Turn after_rows(const OffsetPaging& paging, const RowsRead& page) const;
  std::string note_total(const json::Node& root, const HttpAnswer& answer);

  const Paging& paging_;
  const TotalRule& total_rule_;
  int max_pages_;
  int pages_;
  int number_ = 1;        // of the page last read, where we count
  std::size_t rows_ = 0;  // read so far
  std::optional<std::size_t> total_;
  std::optional<std::size_t> page_count_;
  bool total_changed_ = false;
  std::set<std::string, std::less<>> seen_;
};

}  // namespace reconciled
