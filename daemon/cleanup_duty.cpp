// SPDX-License-Identifier: Apache-2.0
#include "daemon/cleanup_duty.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "daemon/wiring.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

std::string what_of(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

CleanupDuty::CleanupDuty(const asio::any_io_executor& executor, const Configuration& configuration,
                         Log& log, Metrics& metrics, BacklogGauges& gauges)
    : executor_(executor),
      log_(log),
      events_(log, metrics, gauges, configuration.settings.instance),
      database_(executor, database_options(configuration, Access::retention)),
      store_(database_),
      terms_(make_cleanup_terms(configuration.settings)),
      sweeper_(executor, store_, events_, terms_),
      has_ended_(executor) {}

void CleanupDuty::start() {
  running_ = true;
  asio::co_spawn(executor_, clean_up(), [this](const std::exception_ptr& why) {
    if (why) events_.sweep_defect(what_of(why));
    running_ = false;
    has_ended_.cancel();
  });
}

Awaitable<void> CleanupDuty::clean_up() {
  if (terms_->consumptions && !terms_->require_bound) co_await warn_of_bound();
  co_await sweeper_.run();
}

/// What retention.require_bound would refuse. A failure is told by the sweep that follows.
Awaitable<void> CleanupDuty::warn_of_bound() {
  const auto facts = co_await store_.bound();
  if (!facts) co_return;
  for (const auto& refusal : judge_bound(*facts, terms_->timings))
    log_.write(LogLevel::warn, "started",
               "admissions are not bounded by the server, only by the mark: " + explain(refusal));
}

Awaitable<void> CleanupDuty::sweep_once() {
  try {
    co_await sweeper_.sweep_all();
  } catch (const std::exception& error) {
    events_.sweep_defect(error.what());
  }
}

Awaitable<void> CleanupDuty::ended() {
  has_ended_.expires_at(SteadyTime::max());
  while (running_) co_await has_ended_.async_wait(asio::as_tuple(asio::use_awaitable));
}

void CleanupDuty::reload(const Settings& settings) {
  terms_ = make_cleanup_terms(settings);
  sweeper_.replace_terms(terms_);
}

}  // namespace reconciled
