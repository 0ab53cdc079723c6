// SPDX-License-Identifier: Apache-2.0
#include "daemon/settings_table.hpp"

#include "daemon/settings_checks.hpp"

namespace reconciled {
namespace {

constexpr auto kApplied = OnReload::applied;
constexpr auto kRestart = OnReload::needs_restart;
constexpr Duration kYear = 365 * 24h;
constexpr std::size_t kKiB = 1024;
constexpr std::size_t kGiB = kKiB * kKiB * kKiB;

constexpr std::string_view kPoolers[] = {"none", "session"};
constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warn", "error"};
constexpr std::string_view kFormats[] = {"auto", "text", "json"};

using S = Settings;
using Text = std::string;

// Ranges keep out what cannot be meant (a poll every 0s); what is safe together is in
// relations.cpp.
constexpr Setting kSettings[] = {
    {"instance", "", Word{[](S& s) -> Text& { return s.instance; }, "a name", checks::instance},
     kRestart,
     "Names this process in evidence, in application_name and in logs; it fences nothing.", false,
     false, "the host name"},

    {"database.uri", "postgresql:///reconciled",
     Word{[](S& s) -> Text& { return s.database.uri; }, "a libpq URI or keywords",
          checks::database_uri},
     kRestart,
     "Where the operations are; several hosts are allowed, and target_session_attrs=read-write is "
     "added. A password belongs in database.password_file.",
     false, true},
    {"database.password_file", "",
     Word{[](S& s) -> Text& { return s.database.password_file; },
          "an absolute path, or a name in $CREDENTIALS_DIRECTORY", checks::credential_name},
     kRestart, "A file of one line that holds the database password.", false, false, "none"},
    {"database.schema", "reconciled",
     Word{[](S& s) -> Text& { return s.database.schema; }, "a schema's name", checks::schema},
     kRestart, "The schema that sql/install.sql was installed into."},
    {"database.connections", "2", Count{[](S& s) -> int& { return s.database.connections; }, 1, 64},
     kRestart, "How many connections the daemon keeps."},
    {"database.connect_timeout", "5s",
     Span{[](S& s) -> Duration& { return s.database.connect_timeout; }, 1s, 5min}, kRestart,
     "How long connecting to one host may take; libpq counts whole seconds, at least two."},
    {"database.statement_timeout", "5s",
     Span{[](S& s) -> Duration& { return s.database.statement_timeout; }, 100ms, 10min}, kRestart,
     "How long one statement may take before the server ends it."},
    {"database.pooler", "none",
     Choice{kPoolers, [](const S& s) { return static_cast<std::size_t>(s.database.pooler); },
            [](S& s, std::size_t i) { s.database.pooler = static_cast<Pooler>(i); }},
     kRestart,
     "Whether a connection pooler stands between; session says that it keeps sessions, and no "
     "other pooling mode works."},

    {"provider.profile", "",
     Word{[](S& s) -> Text& { return s.provider.profile; }, "a path", checks::path}, kApplied,
     "The provider's profile; a relative path counts from the directory of this file.", true, false,
     "none, must be set"},
    {"provider.base_url", "",
     Word{[](S& s) -> Text& { return s.provider.base_url; }, "a URL", checks::base_url}, kApplied,
     "Where the provider is, in place of the profile's base_url.", false, false, "the profile's"},
    {"provider.credential_file", "",
     Word{[](S& s) -> Text& { return s.provider.credential_file; },
          "an absolute path, or a name in $CREDENTIALS_DIRECTORY", checks::credential_name},
     kApplied, "A file of one line that holds the provider's credential.", false, false, "none"},
    {"provider.ca_file", "",
     Word{[](S& s) -> Text& { return s.provider.ca_file; }, "a path", checks::path}, kApplied,
     "The certificate authorities that may vouch for the provider, in PEM form.", false, false,
     "the system's"},
    {"provider.connect_timeout", "3s",
     Span{[](S& s) -> Duration& { return s.provider.connect_timeout; }, 10ms, 1min}, kApplied,
     "How long connecting to the provider may take, TLS included."},
    {"provider.timeout", "10s",
     Span{[](S& s) -> Duration& { return s.provider.timeout; }, 10ms, 10min}, kApplied,
     "How long one whole lookup may take, all pages and waits included."},
    {"provider.max_in_flight", "64",
     Count{[](S& s) -> int& { return s.provider.max_in_flight; }, 1, 4096}, kApplied,
     "How many lookups this daemon has open at once."},
    {"provider.rate_limit", "0",
     Count{[](S& s) -> int& { return s.provider.rate_limit; }, 0, 1'000'000}, kApplied,
     "How many requests a second this daemon sends at most, pages included; 0 is no limit."},
    {"provider.max_answer", "4MiB",
     Bytes{[](S& s) -> std::size_t& { return s.provider.max_answer; }, kKiB, kGiB}, kApplied,
     "How large one answer may be after decompression."},

    {"recovery.enabled", "true", Flag{[](S& s) -> bool& { return s.recovery.enabled; }}, kApplied,
     "Whether operations are taken over and settled at all."},
    {"recovery.poll_interval", "5s",
     Span{[](S& s) -> Duration& { return s.recovery.poll_interval; }, 10ms, 1h}, kApplied,
     "How long the daemon sleeps at most before it looks for due operations."},
    {"recovery.look_again_after", "30s",
     Span{[](S& s) -> Duration& { return s.recovery.look_again_after; }, 1ms, 24h}, kApplied,
     "How long after an undecided look the next one follows; it doubles from look to look."},
    {"recovery.look_again_at_most", "15m",
     Span{[](S& s) -> Duration& { return s.recovery.look_again_at_most; }, 1ms, 7 * 24h}, kApplied,
     "How long that wait grows at most."},
    {"recovery.give_up_after", "24h",
     Span{[](S& s) -> Duration& { return s.recovery.give_up_after; }, 1ms, kYear}, kApplied,
     "How long after submission window and settle time a person is asked where no usable answer "
     "came."},
    {"recovery.drain_timeout", "20s",
     Span{[](S& s) -> Duration& { return s.recovery.drain_timeout; }, 1ms, 10min}, kApplied,
     "How long lookups in flight may take to finish after SIGTERM; the rest is handed back."},
    {"recovery.late_truth", "6h",
     Span{[](S& s) -> Duration& { return s.recovery.late_truth; }, 1s, 30 * 24h}, kApplied,
     "How often an operation left to a person is looked at again."},
    {"recovery.late_truth_for", "30d",
     Span{[](S& s) -> Duration& { return s.recovery.late_truth_for; }, 1s, 10 * kYear}, kApplied,
     "For how long that goes on."},
    {"recovery.resubmit", "false", Flag{[](S& s) -> bool& { return s.recovery.resubmit; }},
     kApplied,
     "Whether a credit that never reached the provider is created again, under its key and after "
     "the eligibility function allows it."},
    {"recovery.eligibility_function", "",
     Word{[](S& s) -> Text& { return s.recovery.eligibility_function; }, "a function's name",
          checks::function_name},
     kApplied, "The service's SQL function that allows or denies creating again.", false, false,
     "none"},

    {"retention.consumptions", "true", Flag{[](S& s) -> bool& { return s.retention.consumptions; }},
     kApplied, "Whether consumption rows that no admission can still need are deleted."},
    {"retention.idempotency_records", "false",
     Flag{[](S& s) -> bool& { return s.retention.idempotency_records; }}, kApplied,
     "Whether expired idempotency records are deleted."},
    {"retention.interval", "1m",
     Span{[](S& s) -> Duration& { return s.retention.interval; }, 10ms, 24h}, kApplied,
     "How long the daemon waits between two sweeps."},
    {"retention.batch", "1000", Count{[](S& s) -> int& { return s.retention.batch; }, 1, 100'000},
     kApplied, "How many rows one statement deletes at most."},
    {"retention.pause", "50ms", Span{[](S& s) -> Duration& { return s.retention.pause; }, 0s, 1min},
     kApplied, "How long a sweep rests between two batches."},
    {"retention.require_bound", "false",
     Flag{[](S& s) -> bool& { return s.retention.require_bound; }}, kApplied,
     "Whether nothing is deleted unless the server bounds the length of admissions."},

    {"timings.admission_leeway", "30s",
     Span{[](S& s) -> Duration& { return s.timings.admission_leeway; }, 0s, 1h}, kApplied,
     "How long after its expiry a grant is still admitted, against clocks that differ."},
    {"timings.billing_call_timeout", "10s",
     Span{[](S& s) -> Duration& { return s.timings.billing_call_timeout; }, 1ms, 1h}, kApplied,
     "How long the service's call to the provider may take."},
    {"timings.store_call_timeout", "5s",
     Span{[](S& s) -> Duration& { return s.timings.store_call_timeout; }, 1ms, 1h}, kApplied,
     "How long the service's call to the database may take."},
    {"timings.execution_lease", "60s",
     Span{[](S& s) -> Duration& { return s.timings.execution_lease; }, 1ms, 24h}, kApplied,
     "How long an operation belongs to the service that recorded it."},
    {"timings.recovery_lease", "60s",
     Span{[](S& s) -> Duration& { return s.timings.recovery_lease; }, 1ms, 24h}, kApplied,
     "How long one takeover lasts before another daemon may step in."},
    {"timings.lease_margin", "5s",
     Span{[](S& s) -> Duration& { return s.timings.lease_margin; }, 0s, 1h}, kApplied,
     "How long before the end of a lease its owner stops working."},
    {"timings.submission_window", "20h",
     Span{[](S& s) -> Duration& { return s.timings.submission_window; }, 1ms, kYear}, kApplied,
     "How long after its admission a credit may still be sent to the provider."},
    {"timings.provider_clock_margin", "5m",
     Span{[](S& s) -> Duration& { return s.timings.provider_clock_margin; }, 0s, 24h}, kApplied,
     "How far the provider's clock may be from the database's."},
    {"timings.admission_transaction_bound", "30s",
     Span{[](S& s) -> Duration& { return s.timings.admission_transaction_bound; }, 0s, 24h},
     kApplied, "How long a transaction that admits may last."},
    {"timings.replication_wait_bound", "0s",
     Span{[](S& s) -> Duration& { return s.timings.replication_wait_bound; }, 0s, 24h}, kApplied,
     "How long a commit may wait for a synchronous standby; 0s where there is none."},
    {"timings.largest_clock_step", "5s",
     Span{[](S& s) -> Duration& { return s.timings.largest_clock_step; }, 0s, 1h}, kApplied,
     "How far the database's clock may jump."},
    {"timings.cleanup_margin", "10m",
     Span{[](S& s) -> Duration& { return s.timings.cleanup_margin; }, 1ms, kYear}, kApplied,
     "How long a consumption row is kept beyond the moment until which it may be needed."},
    {"timings.maximum_grant_lifetime", "15m",
     Span{[](S& s) -> Duration& { return s.timings.maximum_grant_lifetime; }, 1ms, kYear}, kApplied,
     "How long a grant may be valid; validators enforce it."},
    {"timings.issue_time_skew", "1m",
     Span{[](S& s) -> Duration& { return s.timings.issue_time_skew; }, 0s, 1h}, kApplied,
     "How far in the future a grant may say it was issued; validators enforce it."},
    {"timings.idempotency_stale_after", "2m",
     Span{[](S& s) -> Duration& { return s.timings.idempotency_stale_after; }, 1ms, 24h}, kApplied,
     "When a claim in state Processing counts as abandoned; longer than the service's request "
     "deadline."},
    {"timings.idempotency_record_life", "24h",
     Span{[](S& s) -> Duration& { return s.timings.idempotency_record_life; }, 1ms, kYear},
     kApplied, "How long an idempotency record answers for its request."},

    {"log.level", "info",
     Choice{kLevels, [](const S& s) { return static_cast<std::size_t>(s.log.level); },
            [](S& s, std::size_t i) { s.log.level = static_cast<LogLevel>(i); }},
     kApplied, "The least important event that is logged."},
    {"log.format", "auto",
     Choice{kFormats, [](const S& s) { return static_cast<std::size_t>(s.log.format); },
            [](S& s, std::size_t i) { s.log.format = static_cast<LogFormat>(i); }},
     kApplied,
     "How events are written; auto is the journal under systemd, text on a terminal and JSON "
     "elsewhere."},

    {"metrics.listen", "127.0.0.1:9464",
     Word{[](S& s) -> Text& { return s.metrics.listen; }, "HOST:PORT", checks::listen_address},
     kRestart, "Where metrics are served; \"\" turns them off."},
};

}  // namespace

std::span<const Setting> all_settings() { return kSettings; }

}  // namespace reconciled
