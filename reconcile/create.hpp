// SPDX-License-Identifier: Apache-2.0
// Creating again as values: which request is sent, what its answer amounts to, and what is recorded
// of it. Pure; whether a create may be sent at all is decided in the database (design §6).
#pragma once

#include <variant>

#include "reconcile/finding.hpp"
#include "reconcile/guarantees.hpp"
#include "reconcile/http.hpp"
#include "reconcile/judge.hpp"
#include "reconcile/operation.hpp"
#include "reconcile/template.hpp"
#include "reconcile/verdict.hpp"

namespace reconciled {

struct Profile;

/// The profile's create filled in, or what the operation lacks for it. The same bytes for the same
/// operation, whenever and wherever it is written. The profile must have a create.
std::variant<HttpRequest, Unfillable> write_create(const Profile& profile,
                                                   const Operation& operation);

enum class CreateResult {
  credit,            ///< a success answer that shows a credit of ours
  not_processed,     ///< documented: nothing was processed
  refused_for_good,  ///< documented: nothing was created, nor will be
  foreign_credit,    ///< a success answer that shows another operation's credit
  unauthorised,      ///< 401: our credential
  forbidden,         ///< 403
  not_sent,          ///< established as before transmission
  unclear            ///< anything else: it may have been created
};

/// What came of one create, or of the attempt as a whole.
struct CreateAnswer {
  CreateResult result = CreateResult::unclear;
  Finding finding = NoAnswer{};  ///< the evidence's word, with its explanation
  ProviderSignal signal = {};
  std::optional<Duration> not_before = {};  ///< of not_processed: the documented Retry-After, whole
  int http_status = 0;                      ///< 0 for none
  Duration duration{};
};

/// The first that fits: 401, 403, the profile's success, refused and not_processed; anything else
/// is unclear.
CreateAnswer read_created(const Profile& profile, const Operation& operation,
                          const HttpReply& reply);

/// What is recorded. A credit is judged as if a lookup had found it; a documented refusal is for a
/// person (never Failed, design G3); everything else is Unknown and is looked up, at the latest a
/// second after window and settle time are over.
Verdict judge_create(const Operation& operation, const CreateAnswer& answer,
                     const Guarantees& promised, DatabaseTime as_of);

}  // namespace reconciled
