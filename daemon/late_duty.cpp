// SPDX-License-Identifier: Apache-2.0
#include "daemon/late_duty.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace reconciled {

namespace asio = boost::asio;

LateDuty::LateDuty(const asio::any_io_executor& executor, sql::Database& database, Pass& pass,
                   EventLog& events, std::shared_ptr<const Terms> terms, std::string instance)
    : executor_(executor),
      events_(events),
      store_(database, std::move(instance)),
      late_truth_(
          executor, store_,
          [&pass](Operation operation, DatabaseTime as_of) {
            return pass.look_beside(std::move(operation), as_of);
          },
          events, events, std::move(terms)),
      ended_(executor) {}

void LateDuty::start() {
  running_ = true;
  asio::co_spawn(
      executor_, late_truth_.run(),
      asio::bind_cancellation_slot(late_truth_.slot(),
                                   [this](const std::exception_ptr& why) { has_ended(why); }));
}

void LateDuty::has_ended(const std::exception_ptr& why) {
  running_ = false;
  ended_.cancel();
  try {
    if (why) std::rethrow_exception(why);
  } catch (const boost::system::system_error& error) {
    if (error.code() != asio::error::operation_aborted) events_.late_defect(error.what());
  } catch (const std::exception& error) {
    events_.late_defect(error.what());
  }
}

Awaitable<void> LateDuty::ended() {
  ended_.expires_at(SteadyTime::max());
  while (running_) co_await ended_.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace reconciled
