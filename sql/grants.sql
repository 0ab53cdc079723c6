-- SPDX-License-Identifier: Apache-2.0
-- Least privilege: what each duty touches, column by column. Runs with search_path on the schema.
GRANT USAGE ON SCHEMA :"schema" TO
  reconciled_admission, reconciled_revocation, reconciled_recovery, reconciled_retention,
  reconciled_operator, reconciled_reader;

-- Each duty compares these two before it does anything.
GRANT SELECT ON contract_version, contract_timings TO
  reconciled_recovery, reconciled_retention, reconciled_operator, reconciled_reader;

GRANT SELECT ON operations, recovery_evidence, resubmission_switch, late_truth_turn TO
  reconciled_recovery, reconciled_operator, reconciled_reader;
GRANT SELECT ON cleanup_mark, grants, grant_consumptions, idempotency_records,
  idempotency_answers_lost TO reconciled_reader;

-- Not the amount, not the account, not the window: those are the service's alone.
GRANT UPDATE (status, owner_version, owner_token, lease_until, provider_reference)
  ON operations TO reconciled_recovery;

-- Not evidence_id and observed_at: the order and the time of evidence are the database's word.
GRANT INSERT (operation_id, owner_version, owner_token, instance, step, finding, decision, reason,
              provider_reference, http_status, pages, duration, detail)
  ON recovery_evidence TO reconciled_recovery;

-- Whose turn it is to look late; no right over an operation.
GRANT UPDATE (holder, until) ON late_truth_turn TO reconciled_recovery;

-- `reconciled resubmit`: a person's verb, with its evidence.
GRANT UPDATE (enabled, changed_at, changed_by, reason) ON resubmission_switch
  TO reconciled_operator;

-- A person's verbs, and their evidence. Not owner_version: only a takeover raises it.
GRANT UPDATE (status, owner_token, lease_until, provider_reference)
  ON operations TO reconciled_operator;
GRANT INSERT (operation_id, owner_version, owner_token, instance, step, finding, decision, reason,
              provider_reference, http_status, pages, duration, detail)
  ON recovery_evidence TO reconciled_operator;

-- The sweep. UPDATE on one column lets it lock rows with SKIP LOCKED; a policy refuses the update
-- itself. It reads no response that a client was given.
GRANT SELECT, DELETE, UPDATE (retain_until) ON grant_consumptions TO reconciled_retention;
GRANT SELECT (user_id, endpoint, idempotency_key, state, claim_id, request_hash, claimed_at,
              expires_at),
      DELETE, UPDATE (expires_at) ON idempotency_records TO reconciled_retention;
-- Up only: a trigger refuses to lower it.
GRANT SELECT, UPDATE (cut_off) ON cleanup_mark TO reconciled_retention;
-- Not removed_at: that is the database's word.
GRANT INSERT (user_id, endpoint, idempotency_key, claim_id, request_hash, claimed_at, expires_at)
  ON idempotency_answers_lost TO reconciled_retention;

-- reconciled_admission and reconciled_revocation hold EXECUTE on the functions of sql/functions/
-- and nothing else; each file grants its own.
