// SPDX-License-Identifier: Apache-2.0
// A provider profile as the code uses it: how to ask, and how to read what comes back (design §5).
// Only read_profile() makes one, so that what is in here has been checked.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reconcile/body.hpp"
#include "reconcile/guarantees.hpp"
#include "reconcile/http.hpp"
#include "reconcile/money.hpp"
#include "reconcile/pointer.hpp"
#include "reconcile/template.hpp"

namespace reconciled {

/// How the credential is sent. basic: it is "user:password", or the user alone.
struct Auth {
  enum class Kind { bearer, basic, header, none };
  Kind kind = Kind::none;
  std::string header_name = {};  ///< of kind header
};

struct NoPaging {};  ///< the first answer is all of it
/// The next page starts after the id of this page's last row.
struct LastIdPaging {
  std::string param;
  JsonPointer id_at;     ///< in a row
  JsonPointer more_at;   ///< in the answer, a boolean
  bool in_body = false;  ///< the parameter is a member of the body, not of the query
};
/// The answer holds the next page's cursor; missing, null or empty on the last page.
struct CursorPaging {
  std::string param;
  JsonPointer cursor_at;
  bool in_body = false;
};
/// A header of the answer holds it; missing or empty on the last page.
struct HeaderCursorPaging {
  std::string param;
  std::string header;  ///< in lower case
  bool in_body = false;
};
/// The answer holds the next page's URL, which is followed within the same origin.
struct NextUrlPaging {
  JsonPointer at;  ///< missing, null or empty on the last page
};
/// The same in the answer's Link header, rel="next".
struct LinkHeaderPaging {};
/// Numbered pages.
struct PagePaging {
  std::string param;
  /// The number of the first page: as the profile's request has it, else 1 where we count
  /// ourselves.
  std::optional<int> first;
  std::optional<JsonPointer> next_at;  ///< the next page's number; missing or null on the last page
  std::size_t until_short = 0;  ///< without next_at: a page with fewer rows than this is the last
  std::optional<JsonPointer> pages_at = {};  ///< or: how many pages there are
  bool in_body = false;
};
/// Pages that start at the number of rows read so far.
struct OffsetPaging {
  std::string param;
  std::size_t page_rows = 0;  ///< of a full page; without a total, a shorter one is the last
  bool in_body = false;
};
using Paging = std::variant<NoPaging, LastIdPaging, CursorPaging, PagePaging, HeaderCursorPaging,
                            NextUrlPaging, LinkHeaderPaging, OffsetPaging>;

/// Where each answer says how many rows the whole listing has: nowhere, in the body, in a header
/// (its name in lower case).
using TotalRule = std::variant<std::monostate, JsonPointer, std::string>;

struct QueryParameter {
  Template name;
  Template value;
};

struct Lookup {
  HttpMethod method = HttpMethod::get;
  Template path;
  std::vector<QueryParameter> query;  ///< in profile order
  std::optional<BodyTemplate> body;   ///< of a POST
  Window window;
  std::vector<int> empty_statuses;  ///< these, and only these, mean complete and empty
  Paging paging;
  TotalRule total;
  int max_pages = 0;  ///< of the whole lookup, all parts of its window together
};

/// A row is a credit only if every condition holds; nothing is a match for a missing value but
/// `absent`.
struct Condition {
  RowPointer at;
  std::vector<std::string> one_of;  ///< the text of a string, number or boolean
  bool absent = false;              ///< missing or null
  std::optional<Template> equals;   ///< to be filled in before it can be compared: see fill()
};

/// Where a row shows the key that the service gave.
struct KeyRule {
  struct Pairs {
    RowPointer at;  ///< an array of objects
    std::string name_member;
    std::string value_member;
    std::string name;
  };
  std::variant<RowPointer, Pairs> from;
  bool fold_case = false;
  bool unique = false;  ///< the provider documents at most one credit a key: a match ends the scan
};

struct IdentifierRule {
  RowPointer at;
  bool tail = false;  ///< of a URL: what follows its last slash
};

struct AccountRule {
  IdentifierRule shown;
  std::optional<Template> equals;  ///< what is shown for the operation's account; else account_id
  std::string expected;            ///< `equals`, filled in
};

struct AmountRule {
  enum class Type { integer, decimal };
  enum class Unit { minor, major };
  enum class Sign { positive, negative, by };
  RowPointer at;
  Type type = Type::decimal;
  Unit unit = Unit::major;
  Sign sign = Sign::positive;
  RowPointer sign_at;                     ///< of sign by
  std::vector<std::string> credit_words;  ///< what stands at sign_at of a credit
  ExponentOverrides exponents;
  std::optional<RowPointer> exponent_at;  ///< the row's own decimals of the minor unit
};

struct CurrencyFromOperation {};
using CurrencyRule = std::variant<RowPointer, std::string, CurrencyFromOperation>;

struct StateRule {
  std::optional<RowPointer> at;  ///< nullopt: a credit that exists is settled
  std::vector<std::string> settled, pending, failed, reversed;
  std::optional<RowPointer> settled_if_present;   ///< without `at`: null there, it is pending
  std::optional<RowPointer> reversed_if_present;  ///< not null there: reversed, whatever `at` says
  std::vector<Condition> reversed_if;             ///< so it is if one of these holds
};

struct CreditRules {
  RowsPointer at;
  /// Of the whole answer: it lists nothing, whatever `at` names, if there are any and all hold.
  std::vector<Condition> empty_if;
  std::vector<Condition> where;
  KeyRule key;
  IdentifierRule reference;
  std::optional<AccountRule> account;  ///< nullopt: not_in_answer
  AmountRule amount;
  CurrencyRule currency;
  StateRule state;
};

/// How a credit is created again, with the operation's id as its key (design §6). All of it depends
/// on the operation alone, so that every attempt sends the same bytes.
struct Create {
  struct Header {
    std::string name;
    Template value;
  };
  Template path;
  std::vector<Header> headers;       ///< beside the profile's own, in profile order
  std::optional<BodyTemplate> body;  ///< JSON; or else
  std::vector<QueryParameter> form;  ///< application/x-www-form-urlencoded
  std::vector<int> success;          ///< the answer shows the credit
  std::vector<int> refused;          ///< documented: nothing was created, nor will be
  RowsPointer credit_at;             ///< of the credit in a success answer, read by `credits`
};

struct Profile {
  std::string name;
  std::string describes;
  std::string base_url;  ///< as written, or the configuration's provider.base_url
  Auth auth;
  std::vector<std::pair<std::string, std::string>> headers;
  Lookup lookup;
  CreditRules credits;
  Guarantees guarantees;
  std::optional<Create> create;  ///< nullopt: the profile does not say how
};

}  // namespace reconciled
