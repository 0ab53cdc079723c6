// SPDX-License-Identifier: Apache-2.0
// What came back from asking the provider by key: a closed set (design §5).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/decimal.hpp"
#include "base/time.hpp"

namespace reconciled {

/// The profile's reading of a credit's state. Failed never took effect; reversed took effect and
/// was undone.
enum class CreditState { settled, pending, failed, reversed, unrecognised };

/// One credit with our key. What the answer cannot show is nullopt, is not compared, and is
/// reported as unproven.
struct Credit {
  std::string reference;                ///< the provider's id; at most 255 bytes of printable UTF-8
  std::optional<std::string> account;   ///< nullopt: the profile says not_in_answer
  Decimal amount;                       ///< in major units, positive for a credit
  std::optional<std::string> currency;  ///< nullopt: the profile takes it from the operation
  CreditState state = CreditState::unrecognised;
  friend bool operator==(const Credit&, const Credit&) = default;
};

struct Found {
  std::vector<Credit> credits;
};                 ///< a complete answer with one credit or more
struct Absent {};  ///< a complete answer without our key
struct Incomplete {
  std::vector<Credit> credits;
  std::string why;
};  ///< pages missing; what was seen so far
struct Throttled {
  std::optional<Duration> retry_after;
};  ///< as the provider said it, not yet clamped
struct Refused {
  int status = 0;
};  ///< 401 or 403: our credential, not the operation
struct Unreachable {
  std::string why;
};  ///< nothing was sent
struct NoAnswer {
  std::string why;
};  ///< sent, and no usable answer came
struct Unintelligible {
  std::string why;
};  ///< an answer that the profile does not describe
struct MissingContext {
  std::string name;
};  ///< the operation lacks a fact that the request needs

using Finding = std::variant<Found, Absent, Incomplete, Throttled, Refused, Unreachable, NoAnswer,
                             Unintelligible, MissingContext>;

/// The word in evidence, logs and metrics: found, absent, incomplete, throttled, refused,
/// unreachable, no-answer, unintelligible, missing-context.
std::string_view word(const Finding& finding) noexcept;
/// The free text of a finding that has one ("why", the missing name, the status), without secrets
/// or bodies; else empty.
std::string explanation(const Finding& finding);

/// What a lookup says about the provider as a whole, beside its finding: also the failure that made
/// a listing incomplete.
struct ProviderSignal {
  enum class Kind {
    answered,
    not_asked,  ///< nothing was sent, for reasons of ours: says nothing about the provider
    unreachable,
    no_answer,
    throttled,
    refused_401,
    refused_403
  };
  Kind kind = Kind::answered;
  std::optional<Duration> retry_after = std::nullopt;  ///< with throttled, as sent
};

/// One lookup: the finding, and how it was got.
struct Look {
  Finding finding;
  ProviderSignal signal = {};
  int http_status = 0;  ///< of the last answer, 0 for none
  int pages = 0;        ///< pages read and understood
  Duration duration{};  ///< by the steady clock, waits included
};

}  // namespace reconciled
