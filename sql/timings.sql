-- SPDX-License-Identifier: Apache-2.0
-- The timings that the SQL functions read. The daemon compares them with its own file's and refuses
-- to start where they differ; the columns are named like the keys of the file's section timings.
CREATE TABLE IF NOT EXISTS contract_timings (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  admission_leeway interval NOT NULL DEFAULT '30 seconds',
  billing_call_timeout interval NOT NULL DEFAULT '10 seconds',
  store_call_timeout interval NOT NULL DEFAULT '5 seconds',
  execution_lease interval NOT NULL DEFAULT '60 seconds',
  recovery_lease interval NOT NULL DEFAULT '60 seconds',
  lease_margin interval NOT NULL DEFAULT '5 seconds',
  submission_window interval NOT NULL DEFAULT '20 hours',
  provider_clock_margin interval NOT NULL DEFAULT '5 minutes',
  admission_transaction_bound interval NOT NULL DEFAULT '30 seconds',
  replication_wait_bound interval NOT NULL DEFAULT '0 seconds',
  largest_clock_step interval NOT NULL DEFAULT '5 seconds',
  cleanup_margin interval NOT NULL DEFAULT '10 minutes',
  maximum_grant_lifetime interval NOT NULL DEFAULT '15 minutes',
  issue_time_skew interval NOT NULL DEFAULT '1 minute',
  idempotency_stale_after interval NOT NULL DEFAULT '2 minutes',
  idempotency_record_life interval NOT NULL DEFAULT '24 hours',
  CONSTRAINT contract_timings_not_negative CHECK (
    least(admission_leeway, billing_call_timeout, store_call_timeout, execution_lease,
          recovery_lease, lease_margin, submission_window, provider_clock_margin,
          admission_transaction_bound, replication_wait_bound, largest_clock_step, cleanup_margin,
          maximum_grant_lifetime, issue_time_skew, idempotency_stale_after, idempotency_record_life)
    >= interval '0 seconds'),
  -- A day is 23 to 25 hours long, by the session's time zone, and a month is worse. Adding does not
  -- carry hours into days, so the sum has days exactly where a value has.
  CONSTRAINT contract_timings_in_hours_or_less CHECK (
    date_trunc('day',
      admission_leeway + billing_call_timeout + store_call_timeout + execution_lease
      + recovery_lease + lease_margin + submission_window + provider_clock_margin
      + admission_transaction_bound + replication_wait_bound + largest_clock_step + cleanup_margin
      + maximum_grant_lifetime + issue_time_skew + idempotency_stale_after
      + idempotency_record_life)
    = interval '0 seconds')
);
COMMENT ON TABLE contract_timings IS
  'One row. Must equal the section timings of every daemon''s configuration file.';

-- What somebody has changed stays changed.
INSERT INTO contract_timings DEFAULT VALUES ON CONFLICT DO NOTHING;
