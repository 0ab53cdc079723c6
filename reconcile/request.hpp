// SPDX-License-Identifier: Apache-2.0
// The requests of a lookup as values: pure, and without the credential.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "reconcile/http.hpp"
#include "reconcile/paging.hpp"
#include "reconcile/profile.hpp"

namespace reconciled {

/// What all pages of one listing have in common.
struct ListRequest {
  std::string url;  ///< the paging parameter left out
  bool has_query = false;
  std::string body;  ///< of a POST, its closing brace left out
};

/// Fills the lookup's templates in.
std::variant<ListRequest, Unfillable> write_request(const Profile& profile, TemplateValues& values);

/// The request for a page; `page`: the value of the paging parameter, if it is to have one.
HttpRequest page_request(const Profile& profile, const ListRequest& list, const PageWalk& walk,
                         const std::optional<PageWalk::More>& page);

}  // namespace reconciled
