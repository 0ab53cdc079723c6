// SPDX-License-Identifier: Apache-2.0
#include "recovery/recorder.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/chance.hpp"
#include "recovery/backoff.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// Rows of one statement: bounds its length and the locks it holds at once.
constexpr std::size_t kBatchMost = 256;

}  // namespace

struct Recorder::Pending {
  Pending(const asio::any_io_executor& executor, Entry what)
      : entry(std::move(what)), signal(executor, SteadyTime::max()) {}

  void settle(Recorded as) {
    outcome = as;
    signal.cancel();
  }
  void fail(std::exception_ptr why) {
    if (outcome) return;
    defect = std::move(why);
    settle(Recorded::not_now);
  }

  Entry entry;
  asio::steady_timer signal;
  std::optional<Recorded> outcome;
  std::exception_ptr defect;
};

namespace {

template <class Batch>
std::vector<Entry> entries_of(const Batch& batch) {
  std::vector<Entry> entries;
  entries.reserve(batch.size());
  for (const auto& row : batch) entries.push_back(row->entry);
  return entries;
}

/// Settles the rows of these ids as recorded and takes them out of the batch.
template <class Batch>
void settle_recorded(Batch& batch, std::vector<OperationId> ids) {
  std::sort(ids.begin(), ids.end());
  std::erase_if(batch, [&](const auto& row) {
    if (!std::binary_search(ids.begin(), ids.end(), row->entry.ownership.operation_id))
      return false;
    row->settle(Recorded::yes);
    return true;
  });
}

template <class Batch>
void settle_all(const Batch& batch, Recorded outcome) {
  for (const auto& row : batch) row->settle(outcome);
}

/// Rows whose lease is over are left to their next owner.
template <class Batch>
void drop_expired(Batch& batch) {
  const auto now = SteadyClock::now();
  std::erase_if(batch, [&](const auto& row) {
    if (row->entry.give_up_at > now) return false;
    row->settle(Recorded::not_now);
    return true;
  });
}

}  // namespace

Recorder::Recorder(asio::any_io_executor executor, Store& store, Events& events)
    : executor_(std::move(executor)), store_(store), events_(events) {}

Awaitable<Recorded> Recorder::record(Entry entry) {
  const auto row = std::make_shared<Pending>(executor_, std::move(entry));
  pending_.push_back(row);
  if (!flushing_) {
    flushing_ = true;
    asio::co_spawn(executor_, flush(), asio::detached);
  }
  while (!row->outcome) co_await row->signal.async_wait(asio::as_tuple(asio::use_awaitable));
  if (row->defect) std::rethrow_exception(row->defect);
  co_return *row->outcome;
}

Awaitable<void> Recorder::flush() {
  while (!pending_.empty()) {
    const auto count = static_cast<std::ptrdiff_t>(std::min(pending_.size(), kBatchMost));
    Batch batch(pending_.begin(), pending_.begin() + count);
    pending_.erase(pending_.begin(), pending_.begin() + count);
    co_await write_or_fail(std::move(batch), false);
  }
  flushing_ = false;
}

/// A defect ends the journeys of its own batch; the next batch goes on.
Awaitable<void> Recorder::write_or_fail(Batch batch, bool resent) {
  const auto rows = batch;
  try {
    co_await write(std::move(batch), resent);
  } catch (const std::exception&) {
    for (const auto& row : rows) row->fail(std::current_exception());
  }
}

/// `resent`: the acknowledgement of an earlier attempt was lost, so that a row that matches nothing
/// may be ours all the same.
Awaitable<void> Recorder::write(Batch batch, bool resent) {
  bool doubt = false;  // an attempt's acknowledgement was lost and not yet read back
  for (int failures = 0; !batch.empty(); drop_expired(batch)) {
    if (failures > 0) co_await pause(failures);
    if (doubt) {
      const bool known = co_await read_back(batch);
      if (!known) ++failures;
      doubt = !known;
      continue;
    }
    const auto entries = entries_of(batch);
    auto recorded = co_await store_.record(entries);
    if (recorded) {
      events_.database_works();
      settle_recorded(batch, std::move(*recorded));
      if (!resent) settle_all(std::exchange(batch, {}), Recorded::ownership_lost);
      resent = false;
      doubt = !batch.empty();
      continue;
    }
    const auto error = recorded.error();
    if (sql::is_fault_of_a_row(error)) {
      if (batch.size() == 1)
        co_await refuse(batch.front(), error);
      else
        asio::co_spawn(executor_, write_row_by_row(std::move(batch), resent), asio::detached);
      co_return;
    }
    events_.database_failed(error);
    if (error.trouble == sql::Trouble::in_doubt) doubt = resent = true;
    ++failures;
  }
}

Awaitable<void> Recorder::write_row_by_row(Batch batch, bool resent) {
  for (auto& row : batch) {
    Batch alone{row};
    co_await write_or_fail(std::move(alone), resent);
  }
}

Awaitable<bool> Recorder::read_back(Batch& batch) {
  const auto entries = entries_of(batch);
  auto written = co_await store_.read_back_record(entries);
  if (!written) {
    events_.database_failed(written.error());
    co_return false;
  }
  events_.database_works();
  settle_recorded(batch, std::move(*written));
  co_return true;
}

Awaitable<void> Recorder::refuse(std::shared_ptr<Pending> row, sql::Error error) {
  const auto& entry = row->entry;
  events_.record_refused(entry.ownership, error);
  // A row that somebody holds locked would make this wait as well; its lease decides.
  if (error.sqlstate != "55P03") co_await store_.postpone(entry.ownership, entry.wait);
  row->settle(Recorded::not_now);
}

Awaitable<void> Recorder::pause(int failures) {
  asio::steady_timer timer(executor_, next_try(failures, chance()));
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace reconciled
