// SPDX-License-Identifier: Apache-2.0
#include "reconcile/next_url.hpp"

#include "tests/support/catch.hpp"

using namespace reconciled;

namespace {

constexpr char kBase[] = "https://api.example.com/v1/credits?key=K&limit=2";

std::string resolve(std::string_view reference, std::string_view base = kBase) {
  const auto result = resolve_same_origin(base, reference);
  if (const auto* url = std::get_if<std::string>(&result)) return *url;
  return "not: " + std::get<NotFollowed>(result).why;
}

std::string next(std::vector<std::string> values) {
  std::vector<std::pair<std::string, std::string>> headers = {{"content-type", "x"}};
  for (auto& value : values) headers.emplace_back("link", std::move(value));
  const auto link = next_link(headers);
  if (const auto* target = std::get_if<std::string>(&link)) return *target;
  const auto* fault = std::get_if<NotFollowed>(&link);
  return fault == nullptr ? "none" : "not: " + fault->why;
}

constexpr char kElsewhere[] = "not: it leads to another scheme, host or port";
constexpr char kBroken[] = "not: a Link header that is broken";

}  // namespace

TEST_CASE("a URL of our own origin is resolved as RFC 3986 says", "[next_url]") {
  const std::pair<const char*, const char*> cases[] = {
      {"https://api.example.com/v1/x?page=2", "https://api.example.com/v1/x?page=2"},
      {"https://API.example.COM:443/v1/x", "https://api.example.com/v1/x"},
      {"HTTPS://api.example.com/v1/x#part", "https://api.example.com/v1/x"},
      {"https://api.example.com?page=2", "https://api.example.com/?page=2"},
      {"https://api.example.com", "https://api.example.com/"},
      {"//api.example.com/x", "https://api.example.com/x"},
      {"/x?a=b,c", "https://api.example.com/x?a=b,c"},
      {"?page=2", "https://api.example.com/v1/credits?page=2"},
      {"more?page=2", "https://api.example.com/v1/more?page=2"},
      {"more?next=/a:b", "https://api.example.com/v1/more?next=/a:b"},
      {"/x?next=../y", "https://api.example.com/x?next=../y"},
      {"/%7Ea", "https://api.example.com/%7Ea"}};
  for (const auto& [reference, expected] : cases) {
    CAPTURE(reference);
    CHECK(resolve(reference) == expected);
  }
  CHECK(resolve("/x", "http://127.0.0.1:8080/api/v1") == "http://127.0.0.1:8080/x");
  CHECK(resolve("http://127.0.0.1:80/x", "http://127.0.0.1/v1") == "http://127.0.0.1/x");
  CHECK(resolve("http://[::1]:9/x", "http://[::1]:9/v1") == "http://[::1]:9/x");
}

TEST_CASE("B05: a URL of another origin, or one that hides where it leads, is not followed",
          "[next_url]") {
  const std::pair<const char*, const char*> cases[] = {
      {"http://api.example.com/x", kElsewhere},
      {"https://api.example.com:8443/x", kElsewhere},
      {"https://api.example.com.evil.example/x", kElsewhere},
      {"https://evil.example/https://api.example.com/", kElsewhere},
      {"//evil.example/x", kElsewhere},
      {"https://api.example.com@evil.example/x", "not: it names a user"},
      {"https://u:p@api.example.com/x", "not: it names a user"},
      {"ftp://api.example.com/x", "not: its scheme is not http or https"},
      {"javascript:alert(1)", "not: its scheme is not http or https"},
      {"file:///etc/passwd", "not: its scheme is not http or https"},
      {"https:///x", "not: it names no host"},
      {"https://[::1", "not: it names no host"},
      {"/a/../b", "not: it has a segment . or .."},
      {"../b", "not: it has a segment . or .."},
      {"/a/%2E%2e/b", "not: it has a segment . or .."},
      {"https://api.example.com/./x", "not: it has a segment . or .."},
      {"/a b", "not: it holds a character that no URL has"},
      {"/a\\b", "not: it holds a character that no URL has"},
      {"/a\r\nHost: x", "not: it holds a character that no URL has"},
      {"/\xC3\xBC", "not: it holds a character that no URL has"},
      {"", "not: it is empty"},
      {"#x", "not: it is empty"}};
  for (const auto& [reference, expected] : cases) {
    CAPTURE(reference);
    CHECK(resolve(reference) == expected);
  }
  CHECK(resolve("/" + std::string(9000, 'x')) == "not: it is longer than 8 KiB");
  CHECK(resolve("http://[::2]:9/x", "http://[::1]:9/v1") == kElsewhere);
  CHECK(resolve("http://localhost:80/x", "http://127.0.0.1:80/v1") == kElsewhere);
}

TEST_CASE("B04: Link headers are read as RFC 8288 writes them", "[next_url]") {
  CHECK(next({}) == "none");
  CHECK(next({""}) == "none");
  CHECK(next({"</a>; rel=\"next\""}) == "/a");
  CHECK(next({"</a>;rel=next"}) == "/a");
  CHECK(next({"  </a> ; REL = \"Next\" "}) == "/a");
  CHECK(next({"</p>; rel=prev, </n>; rel=next, </l>; rel=last"}) == "/n");
  CHECK(next({"</p>; rel=\"prev\"", "</a?f=a,b>; title=\"x, y\"; rel=next"}) == "/a?f=a,b");
  CHECK(next({"</a>; title=\"say \\\"; rel=next\\\"\"; rel=\"last\""}) == "none");
  CHECK(next({"</a>; rel=\"last next\""}) == "/a");
  CHECK(next({"</a>; rel=last; rel=next"}) == "none");
  CHECK(next({"</a>; rel=nextpage"}) == "none");
  CHECK(next({"</a>; anchor=\"#x\"; rel=next"}) == "none");
  CHECK(next({", ,</a>; rel=next, ,"}) == "/a");
  CHECK(next({"</a>; rel=next; flag"}) == "/a");
  CHECK(next({"</a>; rel=next;"}) == "/a");
  CHECK(next({"</a>; rel=next", "</a>; rel=next"}) == "/a");
  CHECK(next({"<>; rel=next"}).empty());
}

TEST_CASE("a Link header that cannot be read is a fault, never the last page", "[next_url]") {
  for (const auto* header :
       {"</a; rel=next", "/a; rel=next", "</a> rel=next", "</a>; rel=\"next", "</a>; =next",
        "</a>; rel=\"next\\", "</p>; rel=prev </a>; rel=next", "x", "</a>; rel=next, x"}) {
    CAPTURE(header);
    CHECK(next({header}) == kBroken);
  }
  CHECK(next({"</a>; rel=next", "</b>; rel=next"}) == "not: Link headers that name two next pages");
}
