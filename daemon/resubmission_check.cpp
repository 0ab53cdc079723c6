// SPDX-License-Identifier: Apache-2.0
#include "daemon/resubmission_check.hpp"

#include "recovery/sql_attempt_store.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

std::optional<Failure> judge(const sql::Rows& facts, const std::string& function) {
  const auto name = "recovery.eligibility_function " + function;
  if (!facts.boolean(0, 0))
    return Failure{ExitCode::configuration, name + "(uuid) does not exist",
                   "create it, or name the right one with its schema"};
  if (!facts.boolean(0, 1))
    return Failure{ExitCode::permission, name + "(uuid): reconciled_recovery may not call it",
                   "GRANT EXECUTE ON FUNCTION " + function + "(uuid) TO reconciled_recovery"};
  if (!facts.boolean(0, 2))
    return Failure{ExitCode::configuration,
                   name + "(uuid) does not return (outcome text, decision_id text, reason text)",
                   "declare it RETURNS TABLE with these three columns"};
  if (!facts.boolean(0, 3))
    return Failure{ExitCode::schema,
                   "the trigger resubmission_trips on recovery_evidence is missing or not ENABLE "
                   "ALWAYS: nothing would turn creating again off",
                   "run `psql -f install.sql` of this version as a superuser"};
  return std::nullopt;
}

}  // namespace

Awaitable<Result<ResubmissionState>> check_resubmission(sql::Database& database,
                                                        const Settings& settings) {
  if (!settings.recovery.resubmit) co_return ResubmissionState{};
  const auto& function = settings.recovery.eligibility_function;
  sql::Parameters list;
  list.add(quoted_function(function));
  const auto facts = co_await database.run(sql::statements::resubmission_facts, std::move(list));
  if (!facts)
    co_return Failure{sql::exit_code(facts.error()), "recovery.eligibility_function " + function +
                                                         ": " + sql::to_string(facts.error())};
  if (const auto failure = judge(*facts, function)) co_return *failure;
  co_return ResubmissionState{facts->boolean(0, 4), std::string(facts->text(0, 5))};
}

}  // namespace reconciled
