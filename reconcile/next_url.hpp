// SPDX-License-Identifier: Apache-2.0
// Where a provider says that the next page is: URLs out of an answer's body or its Link headers.
// The credential goes wherever such a URL leads, so only the same origin is followed (design §5).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace reconciled {

/// Why a URL is not followed; holds nothing of it.
struct NotFollowed {
  std::string why;
};

/// The absolute URL that `reference`, found in the answer to `base`, stands for (RFC 3986), without
/// its fragment. Refused: another scheme, host or port than the base's, a user, a segment . or ..,
/// and characters that do not belong into a URL. `base` is one of our own requests' URLs.
std::variant<std::string, NotFollowed> resolve_same_origin(std::string_view base,
                                                           std::string_view reference);

/// What the Link headers of an answer say of the next page (RFC 8288): a target, as it is written
/// there; nothing; or a fault, if a header is broken or two targets are named. Links with an anchor
/// speak of another page. `headers` have names in lower case.
struct NoNextLink {};
using NextLink = std::variant<NoNextLink, std::string, NotFollowed>;
NextLink next_link(const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace reconciled
