// SPDX-License-Identifier: Apache-2.0
#include "daemon/show_verb.hpp"

#include <utility>

#include "daemon/output.hpp"
#include "daemon/time_line.hpp"
#include "daemon/verb_rows.hpp"
#include "daemon/verb_session.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

/// Rows of evidence that one statement reads.
constexpr std::int64_t kPage = 1000;

class Showing {
 public:
  Showing(OperationId operation, OutputFormat format, Output& output)
      : operation_(operation), json_(format == OutputFormat::json), output_(output) {}

  Awaitable<Result<VerbDone>> print(VerbBench bench);

 private:
  Awaitable<Result<VerbDone>> print_evidence(VerbBench bench);

  const OperationId operation_;
  const bool json_;
  Output& output_;
  TimeLine line_;
};

Awaitable<Result<VerbDone>> Showing::print(VerbBench bench) {
  sql::Parameters list;
  list.add(to_string(operation_));
  const auto rows = co_await bench.database.run(sql::statements::show_operation, std::move(list));
  if (!rows) co_return database_failure(rows.error());
  if (rows->size() == 0)
    co_return Failure{ExitCode::undecided, "no operation " + to_string(operation_) + " is visible"};
  const NamedRow operation(*rows, 0, operation_columns());
  output_.write(json_ ? row_json(*rows, 0, operation_columns())
                      : operation_text(operation) + line_.begin(operation));
  const auto evidence = co_await print_evidence(bench);
  if (!evidence) co_return evidence.error();
  if (!json_) output_.write(TimeLine::end(operation));
  co_return VerbDone{};
}

Awaitable<Result<VerbDone>> Showing::print_evidence(VerbBench bench) {
  std::int64_t last = 0;
  while (!output_.closed()) {
    sql::Parameters list;
    list.add(to_string(operation_)).add(last).add(kPage);
    const auto rows = co_await bench.database.run(sql::statements::show_evidence, std::move(list));
    if (!rows) co_return database_failure(rows.error());
    for (std::size_t at = 0; at < rows->size(); ++at)
      output_.write(json_ ? row_json(*rows, at, evidence_columns())
                          : line_.add({*rows, at, time_line_columns()}));
    if (static_cast<std::int64_t>(rows->size()) < kPage) break;
    last = rows->integer(rows->size() - 1, 0);
  }
  co_return VerbDone{};
}

}  // namespace

ExitCode run_show(const Configuration& configuration, OperationId operation, OutputFormat format) {
  Output output;
  Showing showing(operation, format, output);
  const auto code = run_reading(configuration, configuration.settings.database.statement_timeout,
                                [&](VerbBench bench) { return showing.print(std::move(bench)); });
  return output.finish(code);
}

}  // namespace reconciled
