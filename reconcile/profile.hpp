// SPDX-License-Identifier: Apache-2.0
// A provider profile as the code uses it: how to ask, and how to read what comes back (design §5).
// Only read_profile() makes one, so that what is in here has been checked.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
  JsonPointer id_at;    ///< in a row
  JsonPointer more_at;  ///< in the answer, a boolean
};
/// The answer holds the next page's cursor; missing, null or empty on the last page.
struct CursorPaging {
  std::string param;
  JsonPointer cursor_at;
};
/// Numbered pages.
struct PagePaging {
  std::string param;
  /// The number of the first page: as the profile's query has it, else 1 where we count ourselves.
  std::optional<int> first;
  std::optional<JsonPointer> next_at;  ///< the next page's number; missing or null on the last page
  std::size_t until_short = 0;  ///< without next_at: a page with fewer rows than this is the last
};
using Paging = std::variant<NoPaging, LastIdPaging, CursorPaging, PagePaging>;

struct QueryParameter {
  Template name;
  Template value;
};

struct Lookup {
  HttpMethod method = HttpMethod::get;
  Template path;
  std::vector<QueryParameter> query;  ///< in profile order
  Window window;
  std::vector<int> empty_statuses;  ///< these, and only these, mean complete and empty
  Paging paging;
  int max_pages = 0;
};

/// A row is a credit only if every condition holds; nothing is a match for a missing value but
/// `absent`.
struct Condition {
  JsonPointer at;
  std::vector<std::string> one_of;  ///< the text of a string, number or boolean
  bool absent = false;              ///< missing or null
};

/// Where a row shows the key that the service gave.
struct KeyRule {
  struct Pairs {
    JsonPointer at;  ///< an array of objects
    std::string name_member;
    std::string value_member;
    std::string name;
  };
  std::variant<JsonPointer, Pairs> from;
  bool fold_case = false;
  bool unique = false;  ///< the provider documents at most one credit a key: a match ends the scan
};

struct AmountRule {
  enum class Type { integer, decimal };
  enum class Unit { minor, major };
  enum class Sign { positive, negative, by };
  JsonPointer at;
  Type type = Type::decimal;
  Unit unit = Unit::major;
  Sign sign = Sign::positive;
  JsonPointer sign_at;                    ///< of sign by
  std::vector<std::string> credit_words;  ///< what stands at sign_at of a credit
  ExponentOverrides exponents;
};

struct CurrencyFromOperation {};
using CurrencyRule = std::variant<JsonPointer, std::string, CurrencyFromOperation>;

struct StateRule {
  std::optional<JsonPointer> at;  ///< nullopt: a credit that exists is settled
  std::vector<std::string> settled, pending, failed, reversed;
  std::optional<JsonPointer> reversed_if_present;  ///< not null there: reversed, whatever `at` says
};

struct CreditRules {
  RowsPointer at;
  std::vector<Condition> where;
  KeyRule key;
  JsonPointer reference;
  std::optional<JsonPointer> account;  ///< nullopt: not_in_answer
  AmountRule amount;
  CurrencyRule currency;
  StateRule state;
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
};

}  // namespace reconciled
