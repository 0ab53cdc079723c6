// SPDX-License-Identifier: Apache-2.0
// The parts of a profile that not every provider needs: each form, and each fault in it.
#include "tests/support/catch.hpp"
#include "tests/unit/reconcile/samples.hpp"

using namespace reconciled;

namespace {

constexpr char kPaging[] = "{kind: last_id, param: starting_after, id_at: /id, more_at: /has_more}";
constexpr char kQuery[] = "query: {key: \"{operation_id}\"}";
constexpr char kState[] =
    "{at: /status, settled: [posted], pending: [pending], failed: [failed], reversed: [reversed]}";
constexpr char kSpanned[] =
    "query: {from: \"{window_start:epoch}\", to: \"{window_end:epoch}\", limit: \"50\"}";

struct Change {
  const char* from;
  const char* to;
};

std::string changed(const std::vector<Change>& changes) {
  std::string text = samples::kProfile;
  for (const auto& [from, to] : changes) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, std::string_view(from).size(), to);
  }
  return text;
}

Profile read(const std::vector<Change>& changes) { return samples::read(changed(changes)); }

/// The one fault that the changes make, "KEY: WHAT".
std::string fault(const std::vector<Change>& changes) {
  const auto result = read_profile(changed(changes));
  const auto* faults = std::get_if<std::vector<yaml::Fault>>(&result);
  REQUIRE(faults != nullptr);
  CAPTURE(yaml::report("profile", *faults));
  REQUIRE(faults->size() == 1);
  CHECK(faults->front().at.line > 1);
  return faults->front().key + ": " + faults->front().what;
}

}  // namespace

TEST_CASE("each kind of paging is read", "[profile]") {
  const auto url = read({{kPaging, "{kind: next_url, at: /links/next}"}});
  CHECK(std::get<NextUrlPaging>(url.lookup.paging).at.text() == "/links/next");
  const auto link = read({{kPaging, "{kind: link_header, total_header: X-Total-Count}"}});
  CHECK(std::holds_alternative<LinkHeaderPaging>(link.lookup.paging));
  CHECK(std::get<std::string>(link.lookup.total) == "x-total-count");
  const auto header = read({{kPaging, "{kind: header_cursor, header: X-After, param: after}"}});
  const auto& by_header = std::get<HeaderCursorPaging>(header.lookup.paging);
  CHECK(by_header.header == "x-after");
  CHECK(by_header.param == "after");
  const auto offset = read({{kQuery, "query: {limit: \"50\", skip: \"0\"}"},
                            {kPaging, "{kind: offset, param: skip, limit: limit, total_at: /n}"}});
  CHECK(std::get<OffsetPaging>(offset.lookup.paging).page_rows == 50);
  CHECK(offset.lookup.query.size() == 1);
  CHECK(std::get<JsonPointer>(offset.lookup.total).text() == "/n");
  const auto pages = read({{kPaging, "{kind: page, param: page, pages_at: /total_pages}"}});
  CHECK(std::get<PagePaging>(pages.lookup.paging).pages_at->text() == "/total_pages");
  CHECK(std::get<PagePaging>(pages.lookup.paging).first == 1);
}

TEST_CASE("faults in paging are named", "[profile]") {
  CHECK(fault({{kPaging, "{kind: offset, param: skip, limit: limit}"}}) ==
        "lookup.paging.limit: must name the parameter of the request that gives the rows of a full"
        " page");
  CHECK(fault({{kQuery, "query: {limit: \"5\", skip: \"5\"}"},
               {kPaging, "{kind: offset, param: skip, limit: limit}"}}) ==
        "lookup.paging.param: stands in the request with another start than 0");
  CHECK(fault({{kPaging, "{kind: next_url}"}}) == "lookup.paging.at: is missing");
  CHECK(fault({{kPaging, "{kind: next_url, at: next}"}}) ==
        "lookup.paging.at: \"next\" is no JSON pointer, such as /data/0/id");
  CHECK(fault({{kPaging, "{kind: link_header, at: /x}"}}) == "lookup.paging.at: unknown key");
  CHECK(fault({{kPaging, "{kind: header_cursor, header: a b, param: after}"}}) ==
        "lookup.paging.header: is no name of a header");
  CHECK(fault({{kPaging, "{kind: none, total_at: /n, total_header: X}"}}) ==
        "lookup.paging.total_header: and total_at exclude each other");
  CHECK(fault({{kPaging, "{kind: cursor, param: c, cursor_at: /c, in: body}"}}) ==
        "lookup.paging.in: body needs method POST");
  CHECK(fault({{kPaging, "{kind: cursors}"}}) ==
        "lookup.paging.kind: \"cursors\" is none of none, last_id, cursor, page, next_url,"
        " link_header, header_cursor, offset; did you mean cursor?");
  CHECK(fault({{"GET", "POST"}, {kPaging, "{kind: link_header}"}}) ==
        "lookup.paging.kind: needs method GET");
}

TEST_CASE("a body is JSON with values in it", "[profile]") {
  const auto profile =
      read({{"GET", "POST"},
            {kQuery,
             "body: {customer: \"{context.charge}\", id: \"a {operation_id}\\\"\", limit: 25,"
             " all: true, none: null, text: \"25\", list: [1, \"{currency}\", {a: b}]}"},
            {kPaging, "{kind: cursor, param: next_page, cursor_at: /next, in: body}"}});
  const auto operation = samples::operation();
  TemplateValues values(operation, {}, {});
  std::string json;
  REQUIRE_FALSE(profile.lookup.body->append_open(values, json));
  CHECK(closed_body(json, "", "") ==
        std::string(R"({"customer":"ch_1","id":"a )") + samples::kKey +
            R"(\"","limit":25,"all":true,"none":null,"text":"25","list":[1,"USD",{"a":"b"}]})");
  CHECK(closed_body("{", "page", "2") == R"({"page":2})");
  CHECK(closed_body("{\"a\":1", "page", "\"x\"") == R"({"a":1,"page":"x"})");
}

TEST_CASE("faults in a body are named", "[profile]") {
  CHECK(fault({{kQuery, "body: {a: b}"}}) == "lookup.body: needs method POST");
  CHECK(fault({{"GET", "POST"}, {kQuery, "body: [a]"}}) ==
        "lookup.body: must be a mapping of keys");
  CHECK(fault({{"GET", "POST"}, {kQuery, "body: {a: {b: \"{x}\"}}"}}) ==
        "lookup.body.a.b: unknown template value {x}");
  CHECK(fault({{"GET", "POST"}, {kQuery, "body: {a: [010]}"}}) ==
        "lookup.body.a[0]: is no JSON number; put it in quotes if it is a text");
  CHECK(fault({{"GET", "POST"},
               {kQuery, "body: {page: x}"},
               {kPaging, "{kind: page, param: page, in: body, until_short: 5}"}}) ==
        "lookup.paging.param: stands in the request with no page number");
  CHECK(fault({{"GET", "POST"},
               {kQuery, "body: {c: x}"},
               {kPaging, "{kind: cursor, param: c, cursor_at: /c, in: body}"}}) ==
        "lookup.paging.param: is under lookup.body too");
}

TEST_CASE("a span splits a window that the request names at both ends", "[profile]") {
  const auto spanned = read({{kQuery, kSpanned}, {"after: 1m}", "after: 1m, span: 180d}"}});
  CHECK(spanned.lookup.window.span == 24h * 180);
  CHECK(fault({{"after: 1m}", "after: 1m, span: 180d}"}}) ==
        "lookup.window.span: needs window_start and window_end in the request, to be split by");
  CHECK(fault({{kQuery, "query: {from: \"{window_start:epoch}\"}"},
               {"after: 1m}", "after: 1m, span: 180d}"}}) ==
        "lookup.window.span: needs window_start and window_end in the request, to be split by");
  CHECK(fault({{kQuery, kSpanned}, {"after: 1m}", "after: 1m, span: 59s}"}}) ==
        "lookup.window.span: must be 1m or longer");
}

TEST_CASE("the further forms of a credit's parts are read", "[profile]") {
  const auto profile =
      read({{"at: /data", "at: /*/entries/*"},
            {"{at: /key}", "{at: ^/external_id}"},
            {"reference: {at: /id}", "reference: {at: ^/self, tail: true}"},
            {"{at: /account}", "{at: /wallet, equals: \"{context.wallet}\"}"},
            {"type: decimal, unit: major", "type: integer, unit: minor, exponent_at: /decimals"},
            {kState, "{settled_if_present: /posted_at, reversed_if: [{at: /kind, in: [void]}]}"}});
  const auto& credits = profile.credits;
  CHECK(std::get<RowPointer>(credits.key.from).text() == "^/external_id");
  CHECK(credits.reference.tail);
  CHECK(credits.account->equals);
  CHECK_FALSE(credits.account->shown.tail);
  CHECK(credits.amount.exponent_at->text() == "/decimals");
  CHECK(credits.state.settled_if_present->text() == "/posted_at");
  CHECK(credits.state.reversed_if.size() == 1);
  const auto where = read({{"{at: /key}",
                            "{at: /key}\n  where: [{at: /w, equals: \"{context.w}\"},"
                            " {at: /x, equals: y}]"}})
                         .credits.where;
  CHECK(where[0].equals);
  CHECK_FALSE(where[1].equals);
  CHECK(where[1].one_of == std::vector<std::string>{"y"});
}

TEST_CASE("faults in a credit's parts are named", "[profile]") {
  CHECK(fault({{"{at: /account}", "{at: /account, equals: A}"}}) ==
        "credits.account.equals: must hold a value of the operation, such as {context.wallet}");
  CHECK(fault({{"{at: /account}", "{at: /account, equals: \"{x}\"}"}}) ==
        "credits.account.equals: unknown template value {x}");
  CHECK(fault({{"sign: positive", "exponent_at: /e"}}) ==
        "credits.amount.exponent_at: needs unit: minor");
  CHECK(fault({{"{at: /key}", "{at: ^key}"}}) ==
        "credits.key.at: \"^key\" is no JSON pointer, such as /data/0/id");
  CHECK(fault({{kState, "{always: settled, settled_if_present: /x}"}}) ==
        "credits.state.settled_if_present: and always exclude each other");
  CHECK(fault({{kState, "{settled_if_present: /x, at: /y}"}}) ==
        "credits.state.at: and settled_if_present exclude each other");
  CHECK(fault({{kState, "{always: settled, reversed_if: {at: /x}}"}}) ==
        "credits.state.reversed_if: must be a list of conditions");
  CHECK(fault({{kState, "{always: settled, reversed_if: [{at: /x}]}"}}) ==
        "credits.state.reversed_if[0]: needs one of equals, in and absent");
  CHECK(fault({{"{at: /id}", "{at: /id, tail: maybe}"}}) ==
        "credits.reference.tail: must be true or false");
}
