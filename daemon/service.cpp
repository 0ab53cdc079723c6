// SPDX-License-Identifier: Apache-2.0
#include "daemon/service.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

#include "daemon/cleanup_duty.hpp"
#include "daemon/event_log.hpp"
#include "daemon/gauge_duty.hpp"
#include "daemon/late_duty.hpp"
#include "daemon/metrics_server.hpp"
#include "daemon/notify.hpp"
#include "daemon/resubmission_check.hpp"
#include "daemon/start_check.hpp"
#include "daemon/version.hpp"
#include "daemon/wiring.hpp"
#include "recovery/sql_store.hpp"

namespace reconciled {
namespace {

namespace asio = boost::asio;

/// What an end without further ado leaves to whoever reads the log.
constexpr Duration kLastWords = 200ms;

/// One process: the parts, in the order in which they may be built, and the duties that run on
/// them.
class Service {
 public:
  Service(Configuration configuration, const Surroundings& around, Log& log)
      : configuration_(std::move(configuration)),
        around_(around),
        log_(log),
        gauges_(metrics_),
        events_(log, metrics_, configuration_.settings.instance),
        health_(configuration_.settings.recovery.look_again_at_most),
        rate_limit_(std::make_shared<RateLimit>(configuration_.settings.provider.rate_limit)),
        database_(loop_.get_executor(), database_options(configuration_, Access::recovery)),
        store_(database_, configuration_.settings.instance),
        cleanup_(loop_.get_executor(), configuration_, log, metrics_, gauges_),
        signals_(loop_, SIGTERM, SIGINT) {}

  ExitCode run(std::optional<std::filesystem::path> reload_from, bool once) {
    reload_from_ = std::move(reload_from);
    if (reload_from_) signals_.add(SIGHUP);
    asio::co_spawn(loop_, heed_signals(), asio::detached);
    asio::co_spawn(loop_, work(once), [this](const std::exception_ptr& why, ExitCode code) {
      exit_code_ = why ? defect(why) : code;
      loop_.stop();
    });
    loop_.run();
    return exit_code_;
  }

 private:
  Awaitable<ExitCode> work(bool once);
  Awaitable<void> heed_signals();
  Awaitable<void> reload();
  Awaitable<std::optional<Failure>> refuse_reload(const Result<Configuration>& wanted);
  void apply(Configuration wanted);
  void tell(const ResubmissionState& resubmission);
  std::optional<Failure> serve_metrics();
  ExitCode refuse(const Failure& failure);
  ExitCode defect(const std::exception_ptr& why);
  std::shared_ptr<const Terms> terms() {
    auto provider = make_provider(loop_.get_executor(), configuration_, rate_limit_, around_);
    auto resubmission = make_resubmission(configuration_, provider, database_);
    return make_terms(configuration_, measured(std::move(provider), metrics_), rate_limit_,
                      std::move(resubmission));
  }

  asio::io_context loop_{1};
  Configuration configuration_;
  const Surroundings around_;
  Log& log_;
  Metrics metrics_;
  BacklogGauges gauges_;
  EventLog events_;
  ProviderHealth health_;
  std::shared_ptr<RateLimit> rate_limit_;
  sql::Database database_;
  SqlStore store_;
  CleanupDuty cleanup_;
  std::unique_ptr<MetricsServer> metrics_server_;
  std::optional<GaugeDuty> gauge_duty_;
  std::optional<Pass> pass_;
  std::optional<LateDuty> late_;
  asio::signal_set signals_;
  std::optional<std::filesystem::path> reload_from_;
  bool reload_wanted_ = false;
  bool reloading_ = false;
  ExitCode exit_code_ = ExitCode::defect;
};

Awaitable<ExitCode> Service::work(bool once) {
  // First, because two daemons with one address are a mistake in their configuration.
  if (const auto failure = once ? std::nullopt : serve_metrics()) co_return refuse(*failure);
  const auto now = co_await check_database(database_, configuration_.settings);
  if (!now) co_return refuse(now.error());
  const auto resubmission = co_await check_resubmission(database_, configuration_.settings);
  if (!resubmission) co_return refuse(resubmission.error());
  tell(*resubmission);
  for (const auto& warning : warnings(configuration_))
    log_.write(LogLevel::warn, "started", warning);
  std::optional<OneShot> one_shot;
  if (once) {
    const auto due = co_await store_.count_due(*now);
    if (!due)
      co_return refuse({sql::exit_code(due.error()), "database: " + sql::to_string(due.error())});
    one_shot = OneShot{*now, *due};
  }
  const auto in_force = terms();
  pass_.emplace(loop_.get_executor(), store_, health_, events_, in_force, one_shot);
  if (!once) {
    log_.write(
        LogLevel::info, "started",
        fmt::format("reconciled {} asks {}", kVersion, configuration_.profile.base_url),
        {{"instance", configuration_.settings.instance}, {"profile", configuration_.profile.name}});
    notify::ready();
    cleanup_.start();
    if (gauge_duty_)
      asio::co_spawn(loop_, gauge_duty_->run(configuration_.settings.recovery.poll_interval),
                     asio::detached);
    late_.emplace(loop_.get_executor(), database_, *pass_, events_, in_force,
                  configuration_.settings.instance);
    late_->start();
  }
  const auto result = co_await pass_->run();
  if (!once) {
    co_await late_->ended();
    co_await cleanup_.ended();
    co_return ExitCode::done;
  }
  if (!result.database_down) co_await cleanup_.sweep_once();
  if (result.database_down || result.provider_down) co_return ExitCode::unavailable;
  const auto left = co_await store_.count_due(*now);
  if (!left)
    co_return refuse({sql::exit_code(left.error()), "database: " + sql::to_string(left.error())});
  co_return result.undecided == 0 && *left == 0 ? ExitCode::done : ExitCode::undecided;
}

std::optional<Failure> Service::serve_metrics() {
  metrics_.gauge("reconciled_build_info", {kVersion}).Set(1);
  metrics_.gauge("reconciled_config_reload_success").Set(1);
  const auto& listen = configuration_.settings.metrics.listen;
  if (listen.empty()) return std::nullopt;
  auto server = MetricsServer::open(listen, [this] { return metrics_.page(); });
  if (!server) return server.error();
  metrics_server_ = std::move(*server);
  gauge_duty_.emplace(loop_.get_executor(), database_, gauges_,
                      [this] { return metrics_server_->scrapes(); });
  return std::nullopt;
}

Awaitable<void> Service::heed_signals() {
  bool stopping = false;
  for (;;) {
    const auto [error, number] = co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
    if (error) co_return;
    if (number == SIGHUP) {
      reload_wanted_ = true;
      // By itself, so that a database that is slow to answer keeps no SIGTERM waiting.
      if (!std::exchange(reloading_, true)) asio::co_spawn(loop_, reload(), asio::detached);
      continue;
    }
    // The second one means now; so does one that comes before there is anything to finish. Every
    // row is safe with its lease.
    if (stopping || !pass_) {
      log_.flush(kLastWords);
      _exit(static_cast<int>(ExitCode::done));
    }
    stopping = true;
    notify::stopping();
    log_.write(LogLevel::info, "stopping",
               "no new takeovers; what is in flight may finish, the rest is handed back",
               {{"in_flight", static_cast<std::int64_t>(pass_->in_flight())},
                {"instance", configuration_.settings.instance}});
    const auto& settings = configuration_.settings;
    events_.draining(settings.recovery.drain_timeout + 2 * settings.database.statement_timeout);
    pass_->stop();
    if (late_) late_->stop();
    cleanup_.stop();
    if (gauge_duty_) gauge_duty_->stop();
  }
}

/// As often as it was asked for meanwhile. The whole new file counts, or nothing of it.
Awaitable<void> Service::reload() {
  while (std::exchange(reload_wanted_, false)) {
    if (!pass_) continue;
    notify::reloading();
    auto wanted = load_configuration(*reload_from_, around_);
    const auto refused = co_await refuse_reload(wanted);
    metrics_.gauge("reconciled_config_reload_success").Set(refused ? 0 : 1);
    if (refused) {
      log_.write(LogLevel::error, "config_rejected",
                 "the running configuration stays: " + to_string(*refused));
      notify::status("reload rejected, the running configuration stays: " +
                     refused->what.substr(0, refused->what.find('\n')));
    } else {
      apply(std::move(*wanted));
    }
    notify::ready();
  }
  reloading_ = false;
}

/// What a start would refuse. The database is asked only about an eligibility function that is not
/// in force yet: else a reload needs none.
Awaitable<std::optional<Failure>> Service::refuse_reload(const Result<Configuration>& wanted) {
  if (!wanted) co_return wanted.error();
  if (auto unsafe = refuse_unsafe(*wanted)) co_return unsafe;
  const auto& now = configuration_.settings.recovery;
  const auto& then = wanted->settings.recovery;
  if (!then.resubmit || (now.resubmit && now.eligibility_function == then.eligibility_function))
    co_return std::nullopt;
  const auto resubmission = co_await check_resubmission(database_, wanted->settings);
  if (!resubmission) co_return resubmission.error();
  tell(*resubmission);
  co_return std::nullopt;
}

/// Keys that need a restart keep their running value, and are named.
void Service::apply(Configuration wanted) {
  std::string changed;
  std::string restart;
  for (const auto& key : changed_keys(configuration_.settings, wanted.settings)) {
    auto& list = key.needs_restart ? restart : changed;
    list.append(list.empty() ? "" : " ").append(key.key);
  }
  wanted.settings = applicable_now(configuration_.settings, wanted.settings);
  configuration_ = std::move(wanted);
  log_.configure(configuration_.settings.log);
  health_.set_longest_pause(configuration_.settings.recovery.look_again_at_most);
  rate_limit_->set_rate(configuration_.settings.provider.rate_limit);
  const auto in_force = terms();
  pass_->replace_terms(in_force);
  if (late_) late_->replace_terms(in_force);
  cleanup_.reload(configuration_.settings);
  log_.write(LogLevel::info, "config_reloaded",
             restart.empty() ? "file, profile and credential are in force"
                             : "in force, but for the keys that need a restart",
             {{"changed", changed}, {"needs_restart", restart}});
}

/// Nobody else says that what the settings turn on is off in the database.
void Service::tell(const ResubmissionState& resubmission) {
  if (resubmission.enabled) return;
  log_.write(LogLevel::warn, "resubmission_off",
             "creating again is off for every daemon of this database: " + resubmission.why +
                 "; `reconciled resubmit --enable --reason TEXT` turns it on");
}

ExitCode Service::refuse(const Failure& failure) {
  log_.write(LogLevel::error, "stopping", to_string(failure),
             {{"exit_code", static_cast<std::int64_t>(failure.code)}});
  notify::status(failure.what);
  return failure.code;
}

ExitCode Service::defect(const std::exception_ptr& why) {
  try {
    std::rethrow_exception(why);
  } catch (const std::exception& error) {
    log_.write(LogLevel::error, "stopping",
               std::string("a defect of reconciled, please report it: ") + error.what());
  }
  return ExitCode::defect;
}

}  // namespace

ExitCode run_daemon(Configuration configuration, const std::filesystem::path& file,
                    const Surroundings& around, Log& log) {
  return Service(std::move(configuration), around, log).run(file, false);
}

ExitCode run_once(Configuration configuration, const Surroundings& around, Log& log) {
  return Service(std::move(configuration), around, log).run(std::nullopt, true);
}

}  // namespace reconciled
