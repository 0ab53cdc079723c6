// SPDX-License-Identifier: Apache-2.0
// A pass that creates again: real statements on a real server, real HTTP to the scripted provider
// whose ledger is what counts, and an eligibility function of the service that reads its own facts.
#pragma once

#include "reconcile/creator.hpp"
#include "reconcile/profile_reader.hpp"
#include "recovery/sql_attempt_store.hpp"
#include "tests/support/pass_on_server.hpp"
#include "tests/support/test_provider.hpp"

namespace reconciled::test {

constexpr char kResubmitProfile[] = R"(profile: 1
name: test
base_url: http://127.0.0.1:9
auth: {kind: bearer}
lookup: {method: GET, path: /v1/credits, query: {key: "{operation_id}"}, paging: {kind: none}}
credits:
  at: /data
  key: {at: /key}
  reference: {at: /id}
  account: {at: /account}
  amount: {at: /amount, type: decimal, unit: major, sign: positive}
  currency: {at: /currency}
  state: {at: /state, settled: [posted], pending: [pending]}
guarantees:
  source: invented for tests
  key_retention: permanent
  concurrent_same_key: atomic
  same_parameters: enforced
  visibility_lag: 0s
  processing_time: 0s
  not_processed: [{status: 503, with_header: Retry-After}]
create:
  method: POST
  path: /v1/credits
  headers: {Idempotency-Key: "{operation_id}"}
  body: {account: "{account_id}", amount: "{amount}", currency: "{currency}"}
  success: [200, 201]
  refused: [422]
)";

/// Allowed, unless a fact in public.facts says otherwise: the service's own eligibility.
constexpr char kEligibility[] = R"(
CREATE TABLE public.facts (operation_id uuid, outcome text, reason text);
CREATE TABLE public.asked (operation_id uuid);
GRANT SELECT ON public.facts TO reconciled_recovery;
GRANT INSERT ON public.asked TO reconciled_recovery;
CREATE FUNCTION public.may_create(operation uuid)
RETURNS TABLE (outcome text, decision_id text, reason text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.asked VALUES (operation);
  IF EXISTS (SELECT FROM public.facts AS f WHERE f.outcome = 'raise') THEN
    RAISE EXCEPTION 'no facts today';
  END IF;
  RETURN QUERY SELECT coalesce(max(f.outcome), 'Allowed'), 'd-1', coalesce(max(f.reason), 'no hold')
    FROM public.facts AS f;
END $$;
)";

/// What a test does between the lookup and the decision; without it nothing.
struct SteppedProvider final : Provider {
  SteppedProvider(Provider& real, asio::io_context& loop) : gate(loop), real_(real) {}
  Awaitable<Look> look_up(const Operation& operation, DatabaseTime as_of,
                          SteadyTime until) override {
    auto look = co_await real_.look_up(operation, as_of, until);
    ++looked;
    co_await gate.pass();
    co_return look;
  }

  Turnstile gate;
  int looked = 0;

 private:
  Provider& real_;
};

/// What a test does between the permission and the send; without it nothing.
struct SteppedCreator final : Creator {
  SteppedCreator(Creator& real, asio::io_context& loop) : gate(loop), real_(real) {}
  std::variant<HttpRequest, Unfillable> request(const Operation& operation) const override {
    return real_.request(operation);
  }
  Awaitable<CreateAnswer> create(const Operation& operation, const HttpRequest& request,
                                 SteadyTime start_before, SteadyTime until) override {
    ++begun;
    if (crash_before) throw std::runtime_error("crash before the send");
    co_await gate.pass();
    auto answer = co_await real_.create(operation, request, start_before, until);
    if (crash_after) throw std::runtime_error("crash after the send");
    co_return answer;
  }
  bool refresh_credential() override {
    if (on_refresh) on_refresh();
    return real_.refresh_credential();
  }

  Turnstile gate;
  int begun = 0;
  bool crash_before = false, crash_after = false;
  std::function<void()> on_refresh;

 private:
  Creator& real_;
};

/// One daemon that may create again.
struct ResubmittingDaemon : Daemon {
  ResubmittingDaemon(asio::io_context& on, const Database& of, const TestProvider& at,
                     std::string named = "instance-1")
      : Daemon(on, of.uri(kRecovery), named), instance(std::move(named)) {
    profile.base_url = at.base_url();
    terms.provider = std::shared_ptr<Provider>(std::shared_ptr<void>(), &looking);
    terms.lease = 10min;
    prepare();
  }
  /// After a change of the profile's guarantees, or of `attempt`.
  void prepare(const std::string& function = "public.may_create") {
    terms.guarantees = attempt.guarantees = profile.guarantees;
    terms.resubmission = std::make_shared<Resubmission>(
        std::make_shared<SqlAttemptStore>(database, instance, function),
        std::shared_ptr<Creator>(std::shared_ptr<void>(), &stepped), attempt);
  }

  std::string instance;
  Profile profile = std::get<Profile>(read_profile(kResubmitProfile));
  HttpClient client{loop.get_executor(), {.auth = profile.auth}, "old"};
  std::optional<std::string> credential = "old";
  RateLimit rate{0};
  HttpProvider::ReadCredential reread = [this] { return credential; };
  HttpProvider lookup{profile, client, rate, 20s, reread};
  SteppedProvider looking{lookup, loop};
  HttpCreator creator{profile, client, rate, reread};
  SteppedCreator stepped{creator, loop};
  AttemptTerms attempt;
};

struct ResubmitBench {
  Database database = scratch_database();
  TestProvider provider;
  asio::io_context loop;
  std::optional<ResubmittingDaemon> daemon;

  ResubmitBench() {
    database.execute(kEligibility);
    database.execute(insert_operation(1));
    daemon.emplace(loop, database, provider);
  }

  /// The lease is over, as it would be after its time: evidence says when that was.
  void end_lease() {
    database.execute(
        "UPDATE operations SET lease_until = now() - interval '1 second'; "
        "UPDATE recovery_evidence SET detail = detail || jsonb_build_object("
        "'lease_until', now() - interval '1 second') WHERE (detail ->> 'lease_until')::timestamptz "
        "> now()");
  }
  /// Makes the operation due and waits for its next verdict.
  void look() {
    end_lease();
    const auto wanted = daemon->events.recorded_ids.size() + 1;
    if (daemon->pass)
      daemon->look_now();
    else
      daemon->start();
    until(loop, [&] { return daemon->events.recorded_ids.size() >= wanted; });
    until(loop, [&] { return daemon->pass->in_flight() == 0; });
  }
  void fact(const std::string& outcome, const std::string& reason = "a hold") {
    database.execute(
        "DELETE FROM public.facts; INSERT INTO public.facts (outcome, reason) VALUES ('" + outcome +
        "', '" + reason + "')");
  }
  void no_facts() { database.execute("DELETE FROM public.facts"); }

  /// Starts the pass and lets its lookup come back, with nothing decided yet.
  void hold_before_decision() {
    daemon->looking.gate.close();
    daemon->start();
    until(loop, [&] { return daemon->looking.looked == 1; });
  }
  /// Runs on until somebody's statement waits for a lock.
  void until_one_waits() {
    until(loop, [&] {
      return database.query_value(
                 "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND "
                 "datname = current_database()") != "0";
    });
  }

  /// The ledger's creates.
  std::size_t posts() const {
    std::size_t count = 0;
    for (const auto& request : provider.requests()) count += request.method == "POST" ? 1U : 0U;
    return count;
  }
  std::string status() const {
    return database.query_value(
        "SELECT concat_ws(' ', status, provider_reference) FROM operations");
  }
  std::string timeline() const {
    return database.query_value(
        "SELECT coalesce(string_agg(concat_ws(' ', step, finding, decision, reason), ', ' ORDER BY "
        "evidence_id), 'none') FROM recovery_evidence WHERE owner_version > 0");
  }
  std::string asked() const { return database.query_value("SELECT count(*) FROM public.asked"); }
  std::string switched() const {
    return database.query_value("SELECT concat_ws(' ', enabled, reason) FROM resubmission_switch");
  }
};

}  // namespace reconciled::test
