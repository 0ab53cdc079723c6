// SPDX-License-Identifier: Apache-2.0
#include "daemon/check_verb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "daemon/output.hpp"
#include "daemon/verb_rows.hpp"
#include "daemon/verb_session.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

/// Of each kind; the counts are of all.
constexpr std::int64_t kListed = 1000;
/// A table behind a view may have to be read as a whole.
constexpr Duration kPatience = 10min;

std::string last_word(const NamedRow& row) {
  if (row.is_null("step")) return "no evidence: nobody has looked at it";
  const auto finding = row.is_null("finding") ? "" : " " + printable(row.text("finding"));
  const auto reason = row.is_null("reason") ? "" : " (" + printable(row.text("reason")) + ")";
  return fmt::format("last evidence {}: {}{}, {}{}", row.time_text("observed_at"),
                     printable(row.text("step")), finding, printable(row.text("decision")), reason);
}

std::string lines(const NamedRow& row) {
  auto fault = std::string(row.text("fault"));
  if (fault == "overdue") fault += " since " + row.time_text("lease_until");
  return fmt::format("{:<36} {:>3} {}\n  {}\n  {}\n", row.text("operation_id"),
                     age_of(row, "created_at"), printable(row.text("status")), fault,
                     wrapped(last_word(row), 2));
}

class Check {
 public:
  Check(const Settings& settings, OutputFormat format, Output& output)
      : bounds_(check_bounds(settings)), json_(format == OutputFormat::json), output_(output) {}

  Awaitable<Result<VerbDone>> prove(VerbBench bench);

 private:
  void show(const sql::Rows& rows);
  std::string summary(const sql::Rows& counts) const;

  const CheckBounds bounds_;
  const bool json_;
  Output& output_;
  std::int64_t faults_ = 0;
};

Awaitable<Result<VerbDone>> Check::prove(VerbBench bench) {
  const auto counts = co_await bench.database.run(sql::statements::count_unresolved, {});
  if (!counts) co_return database_failure(counts.error());
  sql::Parameters list;
  list.add(bounds_.overdue.count())
      .add(bounds_.lease_ahead.count())
      .add(bounds_.window_ahead.count())
      .add(kListed);
  const auto sick = co_await bench.database.run(sql::statements::check_unresolved, std::move(list));
  if (!sick) co_return database_failure(sick.error());
  sql::Array statuses;
  for (const auto* status : kStatuses) statuses.add(status);
  sql::Parameters known;
  known.add(std::move(statuses)).add(kListed);
  const auto lost = co_await bench.database.run(sql::statements::check_statuses, std::move(known));
  if (!lost) co_return database_failure(lost.error());
  show(*sick);
  show(*lost);
  output_.write(summary(*counts));
  co_return VerbDone{faults_ == 0 ? ExitCode::done : ExitCode::undecided};
}

void Check::show(const sql::Rows& rows) {
  if (rows.size() == 0) return;
  faults_ += rows.integer(0, check_columns().size());
  for (std::size_t at = 0; at < rows.size(); ++at)
    output_.write(json_ ? row_json(rows, at, check_columns()) : lines({rows, at, check_columns()}));
}

std::string Check::summary(const sql::Rows& counts) const {
  const auto unresolved = counts.integer(0, 0);
  const auto in_flight = counts.integer(0, 1);
  if (json_)
    return fmt::format("{{\"check\":\"G8\",\"unresolved\":{},\"in_flight\":{},\"faults\":{}}}\n",
                       unresolved, in_flight, faults_);
  if (faults_ == 0)
    return fmt::format("{} unresolved: {} in flight, {} scheduled; none is forgotten\n", unresolved,
                       in_flight, unresolved - in_flight);
  return fmt::format(
      "{} unresolved, of which {} in flight; {} operation{} neither in flight nor "
      "scheduled as {} must be{}\n",
      unresolved, in_flight, faults_, faults_ == 1 ? " is" : "s are", faults_ == 1 ? "it" : "they",
      faults_ > kListed ? fmt::format(" (the oldest {} are listed)", kListed) : "");
}

}  // namespace

CheckBounds check_bounds(const Settings& settings) {
  const auto& timings = settings.timings;
  const auto longest_wait = std::max(
      {timings.recovery_lease, timings.execution_lease, settings.recovery.look_again_at_most});
  return {timings.recovery_lease + 2 * settings.recovery.poll_interval,
          std::max<Duration>(2 * longest_wait, 24h),
          std::max<Duration>(2 * timings.submission_window, 24h)};
}

ExitCode run_check(const Configuration& configuration, OutputFormat format) {
  Output output;
  Check check(configuration.settings, format, output);
  const auto patience =
      std::max<Duration>(configuration.settings.database.statement_timeout, kPatience);
  const auto code = run_reading(configuration, patience,
                                [&](VerbBench bench) { return check.prove(std::move(bench)); });
  return output.finish(code);
}

}  // namespace reconciled
