-- SPDX-License-Identifier: Apache-2.0
-- The timings that the database's functions go by, in us, in the order of the design's table.
SELECT
  (extract(epoch FROM admission_leeway) * 1000000)::bigint AS admission_leeway,
  (extract(epoch FROM billing_call_timeout) * 1000000)::bigint AS billing_call_timeout,
  (extract(epoch FROM store_call_timeout) * 1000000)::bigint AS store_call_timeout,
  (extract(epoch FROM execution_lease) * 1000000)::bigint AS execution_lease,
  (extract(epoch FROM recovery_lease) * 1000000)::bigint AS recovery_lease,
  (extract(epoch FROM lease_margin) * 1000000)::bigint AS lease_margin,
  (extract(epoch FROM submission_window) * 1000000)::bigint AS submission_window,
  (extract(epoch FROM provider_clock_margin) * 1000000)::bigint AS provider_clock_margin,
  (extract(epoch FROM admission_transaction_bound) * 1000000)::bigint
    AS admission_transaction_bound,
  (extract(epoch FROM replication_wait_bound) * 1000000)::bigint AS replication_wait_bound,
  (extract(epoch FROM largest_clock_step) * 1000000)::bigint AS largest_clock_step,
  (extract(epoch FROM cleanup_margin) * 1000000)::bigint AS cleanup_margin,
  (extract(epoch FROM maximum_grant_lifetime) * 1000000)::bigint AS maximum_grant_lifetime,
  (extract(epoch FROM issue_time_skew) * 1000000)::bigint AS issue_time_skew,
  (extract(epoch FROM idempotency_stale_after) * 1000000)::bigint AS idempotency_stale_after,
  (extract(epoch FROM idempotency_record_life) * 1000000)::bigint AS idempotency_record_life
FROM contract_timings
