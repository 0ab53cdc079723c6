// SPDX-License-Identifier: Apache-2.0
#include "daemon/dry_run.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#include "daemon/cleanup_preview.hpp"
#include "daemon/output.hpp"
#include "daemon/preview.hpp"
#include "daemon/start_check.hpp"
#include "daemon/wiring.hpp"
#include "recovery/sql_store.hpp"
#include "sql/statements.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kStatusColumn = 12;  // of preview_due.sql, after the takeover's own

class DryRun {
 public:
  DryRun(Configuration configuration, const Surroundings& around, const Invocation& invocation)
      : configuration_(std::move(configuration)),
        invocation_(invocation),
        database_(loop_.get_executor(), database_options(configuration_, Access::reading)),
        health_(configuration_.settings.recovery.look_again_at_most) {
    auto rate_limit = std::make_shared<RateLimit>(configuration_.settings.provider.rate_limit);
    auto provider = make_provider(loop_.get_executor(), configuration_, rate_limit, around);
    terms_ = make_terms(configuration_, std::move(provider), std::move(rate_limit));
  }

  ExitCode run() {
    auto code = ExitCode::defect;
    asio::co_spawn(loop_, show_all(), [&](const std::exception_ptr& why, ExitCode shown) {
      if (why) std::rethrow_exception(why);
      code = shown;
      loop_.stop();
    });
    loop_.run();
    return output_.finish(code);
  }

 private:
  Awaitable<ExitCode> show_all();
  Awaitable<sql::Result<std::vector<Preview>>> next_page(const Lease* last,
                                                         DatabaseTime due_before);
  Awaitable<void> ask_all(std::vector<Preview>& page);
  Awaitable<void> ask(Preview& preview);
  void print(const std::vector<Preview>& page);
  Awaitable<void> show_cleanup();

  asio::io_context loop_{1};
  const Configuration configuration_;
  const Invocation invocation_;
  sql::Database database_;
  ProviderHealth health_;
  std::shared_ptr<const Terms> terms_;
  PreviewTotals totals_;
  Output output_;
};

Awaitable<ExitCode> DryRun::show_all() {
  const auto now = co_await check_contract(database_, configuration_.settings, false);
  if (!now) {
    std::fprintf(stderr, "reconciled: %s\n", to_string(now.error()).c_str());
    co_return now.error().code;
  }
  const bool as_table = invocation_.output == OutputFormat::table;
  if (as_table) output_.write(preview_heading());
  std::optional<Lease> last;
  while (!output_.closed()) {
    auto page = co_await next_page(last ? &*last : nullptr, *now);
    if (!page) {
      const auto& error = page.error();
      const bool hidden = error.sqlstate == "42501";
      std::fprintf(stderr, "reconciled: %s: %s\n", hidden ? "not visible to this role" : "database",
                   sql::to_string(error).c_str());
      co_return sql::exit_code(error);
    }
    if (page->empty()) break;
    if (invocation_.lookups) co_await ask_all(*page);
    print(*page);
    last = page->back().lease;
  }
  co_await show_cleanup();
  if (as_table) output_.write(totals_.text());
  if (health_.available()) co_return ExitCode::done;
  std::fputs("reconciled: the provider does not answer as it should; the rest was not asked\n",
             stderr);
  co_return ExitCode::unavailable;
}

Awaitable<sql::Result<std::vector<Preview>>> DryRun::next_page(const Lease* last,
                                                               DatabaseTime due_before) {
  sql::Parameters list;
  list.add(std::int64_t{terms_->max_in_flight});
  list.add(last != nullptr ? last->due_since.since_epoch.count() : 0);
  list.add(to_string(last != nullptr ? last->operation.id : OperationId{}));
  list.add(due_before.since_epoch.count());
  const auto rows = co_await database_.run(sql::statements::preview_due, std::move(list));
  if (!rows) co_return rows.error();
  std::vector<Preview> page;
  for (std::size_t row = 0; row < rows->size(); ++row)
    if (!rows->text(row, 1).empty())
      page.push_back({read_lease(*rows, row), std::string(rows->text(row, kStatusColumn)),
                      std::nullopt, std::nullopt});
  co_return page;
}

/// All of a page at once: it is no longer than the provider's limit of lookups in flight.
Awaitable<void> DryRun::ask_all(std::vector<Preview>& page) {
  asio::steady_timer all_done(loop_, SteadyTime::max());
  std::size_t left = page.size();
  for (auto& preview : page)
    asio::co_spawn(loop_, ask(preview), [&](const std::exception_ptr& why) {
      if (why) std::rethrow_exception(why);
      if (--left == 0) all_done.cancel();
    });
  while (left > 0) co_await all_done.async_wait(asio::as_tuple(asio::use_awaitable));
}

Awaitable<void> DryRun::ask(Preview& preview) {
  if (!health_.available()) co_return;
  const auto& lease = preview.lease;
  const auto until = SteadyClock::now() + terms_->lookup_timeout;
  preview.look = co_await terms_->provider->look_up(lease.operation, lease.as_of, until);
  health_.note(lease.operation.id, preview.look->signal, SteadyClock::now());
  preview.verdict = judge(lease.operation, preview.look->finding, terms_->guarantees, lease.earlier,
                          terms_->patience, health_.condition(lease.operation.id), lease.as_of);
}

void DryRun::print(const std::vector<Preview>& page) {
  for (const auto& preview : page) {
    totals_.add(preview);
    output_.write(invocation_.output == OutputFormat::table ? preview_line(preview)
                                                            : preview_json(preview));
  }
}

/// What a sweep would do, if it is switched on at all.
Awaitable<void> DryRun::show_cleanup() {
  const auto& retention = configuration_.settings.retention;
  if (output_.closed() || !(retention.consumptions || retention.idempotency_records)) co_return;
  SqlCleanupStore store(database_);
  const auto terms = make_cleanup_terms(configuration_.settings);
  const auto preview = co_await preview_cleanup(store, *terms);
  output_.write(invocation_.output == OutputFormat::table ? cleanup_text(preview, retention)
                                                          : cleanup_json(preview, retention));
}

}  // namespace

ExitCode run_dry_run(Configuration configuration, const Surroundings& around,
                     const Invocation& invocation) {
  return DryRun(std::move(configuration), around, invocation).run();
}

}  // namespace reconciled
