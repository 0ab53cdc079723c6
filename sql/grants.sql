-- SPDX-License-Identifier: Apache-2.0
-- Least privilege: what each duty touches, column by column. Runs with search_path on the schema.
GRANT USAGE ON SCHEMA :"schema" TO
  reconciled_admission, reconciled_revocation, reconciled_recovery, reconciled_retention,
  reconciled_operator, reconciled_reader;

-- Each duty compares these two before it does anything.
GRANT SELECT ON contract_version, contract_timings TO
  reconciled_recovery, reconciled_retention, reconciled_operator, reconciled_reader;

GRANT SELECT ON operations, recovery_evidence TO
  reconciled_recovery, reconciled_operator, reconciled_reader;

-- Not the amount, not the account, not the window: those are the service's alone.
GRANT UPDATE (status, owner_version, owner_token, lease_until, provider_reference)
  ON operations TO reconciled_recovery;

-- Not evidence_id and observed_at: the order and the time of evidence are the database's word.
GRANT INSERT (operation_id, owner_version, owner_token, instance, step, finding, decision, reason,
              provider_reference, http_status, pages, duration, detail)
  ON recovery_evidence TO reconciled_recovery;
