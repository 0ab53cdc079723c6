// SPDX-License-Identifier: Apache-2.0
// Verdicts on their way into the database: what is waiting while a statement runs goes out together
// with the next one. A lost acknowledgement is read back; a row that the database refuses does not
// hold up the others (design §3, §4).
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "recovery/events.hpp"
#include "recovery/store.hpp"

namespace reconciled {

enum class Recorded {
  yes,             ///< verdict and evidence are committed
  ownership_lost,  ///< no row matched: somebody else has it, nothing was written
  not_now  ///< refused for this row, or the database stayed away; the lease runs out and it is
           ///< looked at again
};

class Recorder {
 public:
  /// `store` and `events` must outlive the recorder.
  Recorder(boost::asio::any_io_executor executor, Store& store, Events& events);

  /// Returns when it is known what became of the entry, at the latest a database call after
  /// entry.give_up_at. Throws what the store threw: a defect, which no other batch shares.
  Awaitable<Recorded> record(Entry entry);

 private:
  struct Pending;
  using Batch = std::vector<std::shared_ptr<Pending>>;

  Awaitable<void> flush();
  Awaitable<void> write(Batch batch, bool resent);
  Awaitable<void> write_or_fail(Batch batch, bool resent);
  Awaitable<void> write_row_by_row(Batch batch, bool resent);
  Awaitable<bool> read_back(Batch& batch);
  Awaitable<void> refuse(std::shared_ptr<Pending> row, sql::Error error);
  Awaitable<void> pause(int failures);

  boost::asio::any_io_executor executor_;
  Store& store_;
  Events& events_;
  std::deque<std::shared_ptr<Pending>>
      pending_;  // bounded by the pass's limit of operations in flight
  bool flushing_ = false;
};

}  // namespace reconciled
