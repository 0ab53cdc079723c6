// SPDX-License-Identifier: Apache-2.0
#include "daemon/resolve_verb.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "daemon/actor.hpp"
#include "daemon/fresh_look.hpp"
#include "daemon/seen_operation.hpp"
#include "daemon/verb_report.hpp"
#include "daemon/wiring.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

class Resolving {
 public:
  Resolving(const Configuration& configuration, const Surroundings& around,
            const ResolveInvocation& wanted, VerbReport& report)
      : configuration_(configuration), around_(around), wanted_(wanted), report_(report) {}

  Awaitable<Result<VerbDone>> resolve_all(VerbBench bench);

 private:
  /// Done or refused, unless the rest cannot go on either.
  Awaitable<std::optional<Failure>> resolve(VerbBench bench, SeenAt at);
  Awaitable<std::optional<Failure>> write(VerbBench bench, const SeenOperation& seen,
                                          const std::optional<FreshLook>& look);
  Duration settle_time() const { return configuration_.profile.guarantees.settle_time(); }
  std::string reference(const std::optional<FreshLook>& look) const;

  const Configuration& configuration_;
  const Surroundings& around_;
  const ResolveInvocation& wanted_;
  VerbReport& report_;
  std::shared_ptr<Provider> provider_;
};

Awaitable<Result<VerbDone>> Resolving::resolve_all(VerbBench bench) {
  if (wanted_.ask)
    provider_ = make_provider(
        bench.executor, configuration_,
        std::make_shared<RateLimit>(configuration_.settings.provider.rate_limit), around_);
  for (const auto& at : wanted_.operations) {
    auto failed = co_await resolve(bench, at);
    if (failed) {
      provider_.reset();
      co_return *failed;
    }
  }
  provider_.reset();  // before the loop that it stands on
  co_return VerbDone{report_.code()};
}

Awaitable<std::optional<Failure>> Resolving::resolve(VerbBench bench, SeenAt at) {
  const auto seen = co_await read_operation(bench.database, at.operation);
  if (!seen && seen.error().code != ExitCode::undecided) co_return seen.error();
  if (!seen) {
    report_.refused(at.operation, seen.error().what);
    co_return std::nullopt;
  }
  report_.line(at.operation, describe(*seen));
  if (const auto why = against_resolve(*seen, at.version, wanted_.as, settle_time())) {
    report_.refused(at.operation, *why);
    co_return std::nullopt;
  }
  std::optional<FreshLook> look;
  if (wanted_.ask) {
    look = co_await ask_now(*provider_, *seen, configuration_);
    report_.line(at.operation, "the provider says now: " + describe(*look));
    if (!answered(*look))
      co_return Failure{ExitCode::unavailable,
                        to_string(at.operation) +
                            ": the provider does not answer as it should, "
                            "and nothing was written",
                        "try later, or leave the provider out with --no-lookup"};
    if (const auto why = against_answer(look->verdict, wanted_.as)) {
      report_.refused(at.operation, *why);
      co_return std::nullopt;
    }
  }
  if (wanted_.dry_run) {
    report_.line(at.operation, fmt::format("would be resolved as {}; this was a dry run, nothing "
                                           "was written",
                                           word(wanted_.as)));
    co_return std::nullopt;
  }
  auto failed = co_await write(bench, *seen, look);
  co_return failed;
}

/// A person's own word first; the provider's only where it proves the credit.
std::string Resolving::reference(const std::optional<FreshLook>& look) const {
  if (!wanted_.reference.empty()) return wanted_.reference;
  const bool proven = look && look->verdict.decision == Decision::succeeded;
  return proven && wanted_.as == Resolution::succeeded ? look->verdict.reference : "";
}

Awaitable<std::optional<Failure>> Resolving::write(VerbBench bench, const SeenOperation& seen,
                                                   const std::optional<FreshLook>& look) {
  const auto& id = seen.lease.operation.id;
  sql::Parameters list;
  list.add(to_string(id))
      .add(seen.lease.owner_version.value)
      .add(seen.status)
      .add(std::string(word(wanted_.as)))
      .add(wanted_.reason);
  const auto credit = reference(look);
  if (credit.empty())
    list.add_null();
  else
    list.add(credit);
  list.add(settle_time().count()).add(configuration_.settings.instance).add(actor());
  add_look(list, look);
  list.add(both_looks(seen, look));
  const auto rows = co_await bench.database.run(sql::statements::resolve, std::move(list));
  if (!rows) co_return write_failure(rows.error(), id);
  if (rows->size() == 1)
    report_.line(id, fmt::format("resolved as {}{}", word(wanted_.as),
                                 credit.empty() ? "" : ", reference " + printable(credit)));
  else
    report_.refused(id, kLost);
  co_return std::nullopt;
}

}  // namespace

ExitCode run_resolve(const Configuration& configuration, const Surroundings& around,
                     const ResolveInvocation& wanted) {
  VerbReport report;
  Resolving resolving(configuration, around, wanted, report);
  const auto code = run_writing(configuration, wanted.dry_run, [&](VerbBench bench) {
    return resolving.resolve_all(std::move(bench));
  });
  return report.finish(code);
}

}  // namespace reconciled
