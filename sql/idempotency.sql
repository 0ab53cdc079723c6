-- SPDX-License-Identifier: Apache-2.0
-- One row for one idempotency key that a client sent with a request.
--
--   Processing  claimed; nothing is committed under this claim
--   Executed    written by mark_executed inside the business transaction: it has committed
--   Completed   the answer is stored and is given again
CREATE TABLE IF NOT EXISTS idempotency_records (
  user_id text NOT NULL,
  endpoint text NOT NULL,
  idempotency_key uuid NOT NULL,
  state text NOT NULL,
  claim_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  claimed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  response_status int,
  response_type text,
  response_body bytea,
  PRIMARY KEY (user_id, endpoint, idempotency_key),
  CONSTRAINT idempotency_records_user_length CHECK (char_length(user_id) BETWEEN 1 AND 255),
  CONSTRAINT idempotency_records_endpoint_length CHECK (char_length(endpoint) BETWEEN 1 AND 255),
  CONSTRAINT idempotency_records_state_known
    CHECK (state IN ('Processing', 'Executed', 'Completed')),
  -- The hash and not the request.
  CONSTRAINT idempotency_records_hash_length CHECK (octet_length(request_hash) BETWEEN 1 AND 64),
  CONSTRAINT idempotency_records_expiry_finite CHECK (isfinite(expires_at)),
  CONSTRAINT idempotency_records_response_if_completed CHECK (
    num_nonnulls(response_status, response_type, response_body)
      = CASE state WHEN 'Completed' THEN 3 ELSE 0 END),
  CONSTRAINT idempotency_records_response_successful CHECK (response_status BETWEEN 200 AND 299),
  CONSTRAINT idempotency_records_response_size
    CHECK (octet_length(response_body) BETWEEN 1 AND 65536)
);
-- The sweep takes the oldest first.
CREATE INDEX IF NOT EXISTS idempotency_records_by_expiry ON idempotency_records (expires_at);
COMMENT ON TABLE idempotency_records IS 'Idempotency keys of the service''s clients.';
COMMENT ON COLUMN idempotency_records.claim_id IS
  'Fences every later write; another one as soon as the business transaction has committed.';

-- A movement whose answer is gone: what the sweep removed while it was Executed.
CREATE TABLE IF NOT EXISTS idempotency_answers_lost (
  answer_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL,
  endpoint text NOT NULL,
  idempotency_key uuid NOT NULL,
  claim_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  claimed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  removed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE idempotency_answers_lost IS
  'Append-only: records that were removed while Executed. The request was applied.';
