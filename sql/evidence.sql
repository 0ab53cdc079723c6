-- SPDX-License-Identifier: Apache-2.0
-- Who looked, when, under which version and token, what came back, what was decided and why.
-- Append-only: nobody is granted UPDATE or DELETE, and evidence_id and observed_at are the
-- database's to fill in. No foreign key, because operations may be a view over the service's table.
CREATE TABLE IF NOT EXISTS recovery_evidence (
  -- bigint: an int would be used up by a look a second within a lifetime of ours.
  evidence_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  operation_id uuid NOT NULL,
  owner_version bigint NOT NULL,
  owner_token uuid,
  instance text NOT NULL,
  -- Not now(): that is when the transaction began, and a row may have waited for a lock since.
  observed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  step text NOT NULL,
  finding text,
  decision text NOT NULL,
  reason text,
  provider_reference text,
  http_status int,
  pages int,
  duration interval,
  detail jsonb,
  CONSTRAINT recovery_evidence_finding_known CHECK (finding IN (
    'found', 'absent', 'incomplete', 'throttled', 'refused', 'unreachable', 'no-answer',
    'unintelligible', 'missing-context'))
);

-- Apart from the table, because one that was installed before creating again knew fewer steps.
DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_constraint
    WHERE conrelid = 'recovery_evidence'::regclass AND conname = 'recovery_evidence_step_known'
      AND pg_get_constraintdef(oid) LIKE '%''switch''%') THEN
    ALTER TABLE recovery_evidence DROP CONSTRAINT IF EXISTS recovery_evidence_step_known;
    ALTER TABLE recovery_evidence ADD CONSTRAINT recovery_evidence_step_known CHECK (step IN (
      'lookup', 'eligibility', 'create', 'handback', 'recheck', 'resolution', 'late', 'executor',
      -- Of no operation: a person switched creating again on or off.
      'switch'));
  END IF;
END
$$;

-- An operation's time line, and the read back of a verdict whose acknowledgement was lost.
CREATE INDEX IF NOT EXISTS recovery_evidence_by_operation
  ON recovery_evidence (operation_id, evidence_id);

COMMENT ON TABLE recovery_evidence IS
  'Append-only. Verdicts are the rows whose decision is a status; no secrets and no bodies.';
COMMENT ON COLUMN recovery_evidence.finding IS 'Null for a step that asked no provider.';
COMMENT ON COLUMN recovery_evidence.duration IS 'How long the lookup took, all pages together.';
