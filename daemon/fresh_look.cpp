// SPDX-License-Identifier: Apache-2.0
#include "daemon/fresh_look.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "reconcile/judge.hpp"
#include "recovery/evidence_detail.hpp"

namespace reconciled {
namespace {

const char* word(CreditState state) {
  switch (state) {
    case CreditState::settled:
      return "settled";
    case CreditState::pending:
      return "pending";
    case CreditState::failed:
      return "failed";
    case CreditState::reversed:
      return "reversed";
    case CreditState::unrecognised:
      break;
  }
  return "of an unrecognised state";
}

std::string words_for(const Credit& credit) {
  return fmt::format(
      "{} of {}{}{}, {}", credit.reference.empty() ? "one" : printable(credit.reference),
      credit.amount.to_string(), credit.currency ? " " + printable(*credit.currency) : "",
      credit.account ? " to account " + printable(*credit.account) : "", word(credit.state));
}

}  // namespace

Awaitable<FreshLook> ask_now(Provider& provider, const SeenOperation& seen,
                             const Configuration& configuration) {
  const auto& lease = seen.lease;
  const auto until = SteadyClock::now() + configuration.settings.provider.timeout;
  FreshLook fresh;
  fresh.look = co_await provider.look_up(lease.operation, lease.as_of, until);
  fresh.verdict = judge(lease.operation, fresh.look.finding, configuration.profile.guarantees,
                        lease.earlier, {configuration.settings.recovery.give_up_after},
                        ProviderCondition::normal, lease.as_of);
  co_return fresh;
}

bool answered(const FreshLook& fresh) {
  const auto& finding = fresh.look.finding;
  return !(std::holds_alternative<Throttled>(finding) || std::holds_alternative<Refused>(finding) ||
           std::holds_alternative<Unreachable>(finding) ||
           std::holds_alternative<NoAnswer>(finding));
}

std::string describe(const FreshLook& fresh) {
  std::string text(word(fresh.look.finding));
  if (const auto why = explanation(fresh.look.finding); !why.empty())
    text += " (" + printable(why) + ")";
  if (const auto* credits = credits_in(fresh.look.finding)) {
    const char* separator = ": ";
    for (const auto& credit : *credits) {
      text += separator + words_for(credit);
      separator = "; ";
    }
  }
  return text + fmt::format("; a pass would record {} ({})",
                            reconciled::word(fresh.verdict.decision),
                            reconciled::word(fresh.verdict.reason));
}

void add_look(sql::Parameters& list, const std::optional<FreshLook>& fresh) {
  if (!fresh) {
    list.add_null().add_null().add_null().add_null();
    return;
  }
  const auto& look = fresh->look;
  list.add(std::string(reconciled::word(look.finding)));
  if (look.http_status != 0)
    list.add(std::int64_t{look.http_status});
  else
    list.add_null();
  list.add(std::int64_t{look.pages}).add(std::int64_t{look.duration.count()});
}

std::string both_looks(const SeenOperation& seen, const std::optional<FreshLook>& fresh) {
  std::string json = "{";
  if (fresh) {
    json += fmt::format("\"would_record\":{},\"would_record_reason\":{}",
                        json_quoted(reconciled::word(fresh->verdict.decision)),
                        json_quoted(reconciled::word(fresh->verdict.reason)));
    if (const auto why = explanation(fresh->look.finding); !why.empty())
      json += ",\"why\":" + json_quoted(why);
  } else {
    json += "\"asked\":false";
  }
  if (seen.evidence_id != 0)
    json += fmt::format(
        ",\"last_look\":{{\"evidence_id\":{},\"finding\":{},\"decision\":{},\"reason\":{}}}",
        seen.evidence_id, json_quoted(seen.finding), json_quoted(seen.decision),
        json_quoted(seen.reason));
  return json + "}";
}

}  // namespace reconciled
