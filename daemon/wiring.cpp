// SPDX-License-Identifier: Apache-2.0
#include "daemon/wiring.hpp"

#include "daemon/notify.hpp"
#include "reconcile/creator.hpp"
#include "reconcile/lookup.hpp"
#include "recovery/sql_attempt_store.hpp"
#include "retention/sql_store.hpp"

namespace reconciled {
namespace {

/// The pass loop turns this often even if nothing happens; more often where the unit's watchdog
/// asks for it.
constexpr Duration kHeartbeat = 5s;

class OwningProvider final : public Provider, public Creator {
 public:
  OwningProvider(const boost::asio::any_io_executor& executor, const Configuration& configuration,
                 std::shared_ptr<RateLimit> rate_limit,
                 HttpProvider::ReadCredential read_credential)
      : profile_(configuration.profile),
        rate_limit_(std::move(rate_limit)),
        client_(executor, http_options(configuration),
                std::string(configuration.credential.reveal())),
        provider_(profile_, client_, *rate_limit_, configuration.settings.provider.timeout,
                  read_credential),
        creator_(profile_, client_, *rate_limit_, std::move(read_credential)) {}

  Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                          SteadyTime until) override {
    return provider_.look_up(operation, as_of, until);
  }
  std::variant<HttpRequest, Unfillable> request(const Operation& operation) const override {
    return creator_.request(operation);
  }
  Awaitable<CreateAnswer> create(const Operation& operation, const HttpRequest& request,
                                 SteadyTime start_before, SteadyTime until) override {
    return creator_.create(operation, request, start_before, until);
  }
  bool refresh_credential() override { return creator_.refresh_credential(); }

 private:
  const Profile profile_;
  const std::shared_ptr<RateLimit> rate_limit_;
  HttpClient client_;
  HttpProvider provider_;
  HttpCreator creator_;
};

}  // namespace

HttpOptions http_options(const Configuration& configuration) {
  const auto& provider = configuration.settings.provider;
  return {.auth = configuration.profile.auth,
          .connect_timeout = provider.connect_timeout,
          .max_answer = provider.max_answer,
          .ca_file = provider.ca_file,
          .max_in_flight = provider.max_in_flight};
}

sql::DatabaseOptions database_options(const Configuration& configuration, Access access) {
  const auto& database = configuration.settings.database;
  sql::DatabaseOptions options;
  auto& session = options.session;
  session.connection.uri = database.uri;
  if (configuration.database_password)
    session.connection.password = std::string(configuration.database_password->reveal());
  session.connection.application_name = configuration.settings.instance;
  session.connection.connect_timeout = database.connect_timeout;
  session.schema = database.schema;
  session.statement_timeout = database.statement_timeout;
  session.pooler_keeps_sessions = database.pooler == Pooler::session;
  if (access == Access::reading) {
    session.connection.target_session_attrs = "any";
    session.read_only = true;
  } else {
    session.role = access == Access::recovery ? kRecoveryRole : kRetentionRole;
  }
  options.connections = access == Access::retention ? 1 : database.connections;
  options.grace = database.connect_timeout;
  return options;
}

std::shared_ptr<Provider> make_provider(const boost::asio::any_io_executor& executor,
                                        const Configuration& configuration,
                                        std::shared_ptr<RateLimit> rate_limit,
                                        const Surroundings& around) {
  auto read_credential = [settings = configuration.settings,
                          around]() -> std::optional<std::string> {
    if (settings.provider.credential_file.empty()) return std::nullopt;
    const auto secret = load_credential(settings, around);
    if (!secret) return std::nullopt;
    return std::string(secret->reveal());
  };
  return std::make_shared<OwningProvider>(executor, configuration, std::move(rate_limit),
                                          std::move(read_credential));
}

std::shared_ptr<const Terms> make_terms(const Configuration& configuration,
                                        std::shared_ptr<Provider> provider,
                                        std::shared_ptr<RateLimit> rate_limit,
                                        std::shared_ptr<Resubmission> resubmission) {
  const auto& settings = configuration.settings;
  auto terms = std::make_shared<Terms>();
  terms->enabled = settings.recovery.enabled;
  terms->lease = settings.timings.recovery_lease;
  terms->lease_margin = settings.timings.lease_margin;
  terms->lookup_timeout = settings.provider.timeout;
  terms->poll_interval = settings.recovery.poll_interval;
  terms->drain_timeout = settings.recovery.drain_timeout;
  terms->heartbeat = std::min(kHeartbeat, notify::watchdog_period().value_or(2 * kHeartbeat) / 2);
  terms->late_truth = settings.recovery.late_truth;
  terms->late_truth_for = settings.recovery.late_truth_for;
  terms->max_in_flight = settings.provider.max_in_flight;
  terms->backoff = {settings.recovery.look_again_after, settings.recovery.look_again_at_most};
  terms->patience = {settings.recovery.give_up_after};
  terms->guarantees = configuration.profile.guarantees;
  terms->provider = std::move(provider);
  terms->rate_limit = std::move(rate_limit);
  terms->resubmission = std::move(resubmission);
  return terms;
}

std::shared_ptr<Resubmission> make_resubmission(const Configuration& configuration,
                                                const std::shared_ptr<Provider>& provider,
                                                sql::Database& database) {
  const auto& settings = configuration.settings;
  const auto creator = std::dynamic_pointer_cast<Creator>(provider);
  if (!settings.recovery.resubmit || !configuration.profile.create || !creator) return nullptr;
  AttemptTerms terms{configuration.profile.guarantees, settings.provider.timeout,
                     settings.database.statement_timeout, settings.timings.lease_margin,
                     settings.timings.provider_clock_margin};
  return std::make_shared<Resubmission>(
      std::make_shared<SqlAttemptStore>(database, settings.instance,
                                        settings.recovery.eligibility_function),
      creator, std::move(terms));
}

std::shared_ptr<const CleanupTerms> make_cleanup_terms(const Settings& settings) {
  const auto& retention = settings.retention;
  const auto& timings = settings.timings;
  auto terms = std::make_shared<CleanupTerms>();
  terms->consumptions = retention.consumptions;
  terms->idempotency_records = retention.idempotency_records;
  terms->require_bound = retention.require_bound;
  terms->interval = retention.interval;
  terms->pause = retention.pause;
  terms->batch = retention.batch;
  terms->timings = {timings.cleanup_margin, timings.replication_wait_bound,
                    timings.largest_clock_step};
  return terms;
}

}  // namespace reconciled
