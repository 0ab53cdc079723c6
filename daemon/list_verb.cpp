// SPDX-License-Identifier: Apache-2.0
#include "daemon/list_verb.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "daemon/output.hpp"
#include "daemon/verb_rows.hpp"
#include "daemon/verb_session.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

/// Rows that one statement reads; the table may be longer than memory.
constexpr std::int64_t kPage = 1000;

std::string heading() {
  return fmt::format("{:<36} {:>3} {:<19} {}\n", "OPERATION", "AGE", "STATUS", "REASON");
}

std::string line(const NamedRow& row) {
  return fmt::format("{:<36} {:>3} {:<19} {}\n", row.text("operation_id"),
                     age_of(row, "created_at"), printable(row.text("status")),
                     row.is_null("reason") ? "-" : printable(row.text("reason")));
}

void add_text(sql::Parameters& list, const std::string& text) {
  if (text.empty())
    list.add_null();
  else
    list.add(text);
}

class Listing {
 public:
  Listing(const ListInvocation& wanted, OutputFormat format, Output& output)
      : wanted_(wanted), format_(format), output_(output) {}

  Awaitable<Result<VerbDone>> print(VerbBench bench);

 private:
  sql::Parameters parameters(std::int64_t at_most) const;
  void show(const sql::Rows& rows);

  const ListInvocation& wanted_;
  const OutputFormat format_;
  Output& output_;
  std::int64_t printed_ = 0;
  std::optional<std::pair<DatabaseTime, std::string>> last_;  // created_at and id
};

sql::Parameters Listing::parameters(std::int64_t at_most) const {
  sql::Array statuses;
  for (const auto& status : wanted_.statuses) statuses.add(status);
  sql::Parameters list;
  list.add(std::move(statuses));
  add_text(list, wanted_.reason);
  if (wanted_.older_than)
    list.add(wanted_.older_than->count());
  else
    list.add_null();
  add_text(list, wanted_.account_id);
  if (last_)
    list.add(last_->first.since_epoch.count()).add(last_->second);
  else
    list.add_null().add_null();
  list.add(at_most);
  return list;
}

void Listing::show(const sql::Rows& rows) {
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const NamedRow row(rows, at, list_columns());
    output_.write(format_ == OutputFormat::json ? row_json(rows, at, list_columns()) : line(row));
    ++printed_;
    last_.reset();
    if (const auto created = row.time("created_at"))
      last_.emplace(*created, row.text("operation_id"));
  }
}

Awaitable<Result<VerbDone>> Listing::print(VerbBench bench) {
  const bool as_table = format_ == OutputFormat::table;
  while (!output_.closed()) {
    const auto left = wanted_.limit ? *wanted_.limit - printed_ : kPage;
    const auto at_most = std::min(left, kPage);
    const auto rows =
        co_await bench.database.run(sql::statements::list_operations, parameters(at_most));
    if (!rows) co_return database_failure(rows.error());
    if (as_table && printed_ == 0 && rows->size() > 0) output_.write(heading());
    show(*rows);
    const bool limit_reached = wanted_.limit && printed_ >= *wanted_.limit;
    const bool page_full = static_cast<std::int64_t>(rows->size()) == at_most;
    // A row without a time to go on from is the last one of the order.
    if (!page_full || limit_reached || !last_) break;
  }
  if (as_table) output_.write(fmt::format("{} operation{}\n", printed_, printed_ == 1 ? "" : "s"));
  co_return VerbDone{};
}

}  // namespace

ExitCode run_list(const Configuration& configuration, const ListInvocation& wanted,
                  OutputFormat format) {
  Output output;
  Listing listing(wanted, format, output);
  const auto code = run_reading(configuration, configuration.settings.database.statement_timeout,
                                [&](VerbBench bench) { return listing.print(std::move(bench)); });
  return output.finish(code);
}

}  // namespace reconciled
