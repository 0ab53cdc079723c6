-- SPDX-License-Identifier: Apache-2.0
-- One row for one intended credit, written by the service before it calls the provider.
CREATE TABLE IF NOT EXISTS operations (
  operation_id uuid PRIMARY KEY,
  issuer text NOT NULL,
  grant_id text NOT NULL,
  caller_id text NOT NULL,
  account_id text NOT NULL,
  amount numeric NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  owner_version bigint NOT NULL DEFAULT 1,
  owner_token uuid,
  lease_until timestamptz NOT NULL,
  submit_by timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  provider_context jsonb,
  provider_reference text,
  -- One grant, one operation: a second use of a grant fails here, whoever inserts.
  CONSTRAINT operations_grant_used_once UNIQUE (issuer, grant_id),
  -- What an uninitialised variable looks like, and it would be an idempotency key.
  CONSTRAINT operations_id_not_zero
    CHECK (operation_id <> '00000000-0000-0000-0000-000000000000'),
  CONSTRAINT operations_issuer_length CHECK (char_length(issuer) BETWEEN 1 AND 255),
  CONSTRAINT operations_grant_id_length CHECK (char_length(grant_id) BETWEEN 1 AND 255),
  CONSTRAINT operations_caller_not_empty CHECK (caller_id <> ''),
  CONSTRAINT operations_account_not_empty CHECK (account_id <> ''),
  -- NaN sorts above Infinity, so one comparison refuses both.
  CONSTRAINT operations_amount_positive_and_finite CHECK (amount > 0 AND amount < 'Infinity'),
  CONSTRAINT operations_currency_not_empty CHECK (currency <> ''),
  CONSTRAINT operations_status_known
    CHECK (status IN ('Admitted', 'Unknown', 'Succeeded', 'Failed', 'NeedsReconciliation')),
  CONSTRAINT operations_version_from_one CHECK (owner_version >= 1),
  -- A lease that never ends would be an operation that nobody looks at again.
  CONSTRAINT operations_lease_finite CHECK (isfinite(lease_until)),
  CONSTRAINT operations_submit_by_finite CHECK (isfinite(submit_by)),
  CONSTRAINT operations_created_finite CHECK (isfinite(created_at))
);

-- A service's own table may stand behind a view of this name; adopt.sql has made its indexes.
SELECT relkind IN ('r', 'p') AS operations_are_ours FROM pg_class WHERE oid = 'operations'::regclass
\gset
\if :operations_are_ours
-- Finding work costs what is due and not what is stored. Takeover, next_due and count_due name the
-- same two statuses in the same order, or the planner could not use it.
CREATE INDEX IF NOT EXISTS operations_unresolved_by_lease
  ON operations (lease_until) WHERE status IN ('Admitted', 'Unknown');
-- What waits for a person, oldest first.
CREATE INDEX IF NOT EXISTS operations_needing_a_person
  ON operations (created_at) WHERE status = 'NeedsReconciliation';

COMMENT ON TABLE operations IS
  'One intended credit each, recorded before the provider is called. Never deleted.';
COMMENT ON COLUMN operations.operation_id IS 'Also the provider''s idempotency key.';
COMMENT ON COLUMN operations.owner_version IS
  'Starts at 1 with the service; each takeover adds one. Fences every write.';
COMMENT ON COLUMN operations.owner_token IS
  'Random, set by a takeover and cleared when ownership is given up. Tells owners apart where'
  ' version numbers repeat after a failover.';
COMMENT ON COLUMN operations.lease_until IS
  'With a token: how long its owner owns the row. Without: when it is looked at next.';
COMMENT ON COLUMN operations.submit_by IS
  'Until then a create request may still be sent; afterwards by nobody.';
COMMENT ON COLUMN operations.provider_context IS
  'Further facts that a lookup needs, such as a wallet or charge id.';
\endif
