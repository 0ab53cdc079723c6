// SPDX-License-Identifier: Apache-2.0
#include "retention/sweep.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "retention/cut_off.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

// The transaction may have been committed although its answer was lost.
constexpr char kDeletingRecords[] =
    "deleting idempotency records (idempotency_answers_lost has what it may have moved)";

}  // namespace

Sweeper::Sweeper(const asio::any_io_executor& executor, CleanupStore& store, CleanupEvents& events,
                 std::shared_ptr<const CleanupTerms> terms, HostClocks clocks)
    : store_(store),
      events_(events),
      terms_(std::move(terms)),
      clocks_(std::move(clocks)),
      alarm_(executor) {}

Awaitable<void> Sweeper::run() {
  while (!stopping_) {
    auto end = SweepEnd::finished;
    try {
      end = co_await sweep();
    } catch (const std::exception& error) {
      events_.sweep_defect(error.what());
    }
    if (!stopping_) co_await wait(end == SweepEnd::more ? terms_->pause : terms_->interval);
  }
}

Awaitable<void> Sweeper::sweep_all() {
  auto end = SweepEnd::more;
  while (end == SweepEnd::more) {
    end = co_await sweep();
    if (end == SweepEnd::more) co_await wait(terms_->pause);
  }
}

Awaitable<SweepEnd> Sweeper::sweep() {
  const auto terms = terms_;
  if (!terms->consumptions && !terms->idempotency_records) co_return SweepEnd::finished;
  const auto facts = co_await look(*terms);
  if (!facts) co_return SweepEnd::refused;
  if (stopping_) co_return SweepEnd::interrupted;

  SweepCounts counts;
  auto end = SweepEnd::finished;
  if (terms->consumptions) {
    // Announced and committed before the first row goes. What a claim cannot see because it was
    // deleted, it sees in the mark.
    counts.cut_off = cut_off(facts->now, terms->timings.cleanup_margin);
    const bool announced = co_await raise_mark(*facts, *counts.cut_off);
    if (!announced) co_return SweepEnd::refused;
    end = co_await delete_consumptions(*terms, *counts.cut_off, counts);
  }
  if (terms->idempotency_records && end == SweepEnd::finished)
    end = co_await delete_records(*terms, counts);
  if (end == SweepEnd::finished || end == SweepEnd::more) permit();
  events_.swept(counts);
  co_return end;
}

/// Whether the mark stands at `until` or above, committed.
Awaitable<bool> Sweeper::raise_mark(const ServerFacts& facts, DatabaseTime until) {
  const auto mark = co_await store_.raise_mark(until);
  if (!mark && mark.error().trouble == sql::Trouble::refused)
    refuse({MarkNotWritable{facts.schema, sql::to_string(mark.error())}});
  else if (!mark)
    refuse("raising the mark", mark.error());
  else if (!*mark)
    refuse({MarkMissing{facts.schema}});
  else if (**mark < until)
    refuse({MarkNotWritable{facts.schema, "it was written, and is " + rfc3339(**mark)}});
  else
    co_return true;
  co_return false;
}

/// The facts, if nothing refuses.
Awaitable<std::optional<ServerFacts>> Sweeper::look(const CleanupTerms& terms) {
  auto seen = co_await look_around(store_, clocks_, terms);
  const auto refusals = judge_look(seen, memory_, terms);
  const auto step = remember(memory_, seen, terms);
  if (step != Duration::zero() && !told_.contains(key_of(ClockStepped{}))) events_.clock_step(step);
  if (refusals.empty()) co_return std::move(seen.server);
  refuse(refusals);
  co_return std::nullopt;
}

Awaitable<SweepEnd> Sweeper::delete_consumptions(const CleanupTerms& terms, DatabaseTime until,
                                                 SweepCounts& counts) {
  for (int batch = 0; batch < kSweepBatchesMost; ++batch) {
    if (batch > 0) co_await wait(terms.pause);
    if (stopping_) co_return SweepEnd::interrupted;
    const auto deleted = co_await store_.delete_consumptions(until, terms.batch);
    if (!deleted) co_return refuse("deleting consumption rows", deleted.error());
    counts.consumptions += *deleted;
    // Fewer than asked: nothing else is due, or somebody holds it locked until a later sweep.
    if (*deleted < terms.batch) co_return SweepEnd::finished;
  }
  co_return SweepEnd::more;
}

Awaitable<SweepEnd> Sweeper::delete_records(const CleanupTerms& terms, SweepCounts& counts) {
  for (int batch = 0; batch < kSweepBatchesMost; ++batch) {
    if (batch > 0) co_await wait(terms.pause);
    if (stopping_) co_return SweepEnd::interrupted;
    const auto done = co_await store_.delete_idempotency_records(terms.batch);
    if (!done) co_return refuse(kDeletingRecords, done.error());
    counts.idempotency_records += done->deleted;
    for (const auto& answer : done->lost) events_.answer_lost(answer);
    if (done->deleted < terms.batch) co_return SweepEnd::finished;
  }
  co_return SweepEnd::more;
}

/// Tells the reasons that are new.
SweepEnd Sweeper::refuse(const std::vector<Refusal>& refusals) {
  std::set<std::string> standing;
  for (const auto& refusal : refusals) {
    auto key = key_of(refusal);
    if (!told_.contains(key) && !standing.contains(key)) events_.refused(refusal);
    standing.insert(std::move(key));
  }
  told_ = std::move(standing);
  return SweepEnd::refused;
}

/// After a sweep that did what it was to do, and not before: to look is not yet to delete.
void Sweeper::permit() {
  if (!told_.empty()) events_.permitted();
  told_.clear();
}

SweepEnd Sweeper::refuse(std::string_view doing, const sql::Error& error) {
  return refuse({trouble(doing, error)});
}

Awaitable<void> Sweeper::wait(Duration span) {
  if (stopping_) co_return;
  alarm_.expires_after(span);
  co_await alarm_.async_wait(asio::as_tuple(asio::use_awaitable));
}

void Sweeper::stop() {
  stopping_ = true;
  alarm_.cancel();
}

void Sweeper::replace_terms(std::shared_ptr<const CleanupTerms> terms) {
  terms_ = std::move(terms);
  alarm_.cancel();
}

}  // namespace reconciled
