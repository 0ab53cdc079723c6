-- SPDX-License-Identifier: Apache-2.0
-- The switch that trips when creating again has gone wrong anywhere; a person turns it on again.
-- Whether anything is created again at all is the operator's setting, recovery.resubmit.
CREATE TABLE IF NOT EXISTS resubmission_switch (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  enabled boolean NOT NULL DEFAULT true,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  changed_by text NOT NULL DEFAULT session_user,
  reason text NOT NULL DEFAULT 'installed'
);
COMMENT ON TABLE resubmission_switch IS 'One row, for every daemon of this database.';

INSERT INTO resubmission_switch DEFAULT VALUES ON CONFLICT DO NOTHING;

-- It trips in the transaction that records why, whoever writes it: a crash in between cannot keep
-- it on, and recovery needs no right to change it, so none can turn it on by mistake.
CREATE OR REPLACE FUNCTION trip_resubmission() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
BEGIN
  UPDATE resubmission_switch
  SET enabled = false,
      changed_at = clock_timestamp(),
      changed_by = session_user,
      reason = format('%s: operation %s, evidence %s', NEW.reason, NEW.operation_id,
                      NEW.evidence_id)
  WHERE enabled;
  RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION trip_resubmission() FROM PUBLIC;

DO $$
BEGIN
  -- Creating one locks the table, so a second run leaves it alone.
  IF NOT EXISTS (
    SELECT FROM pg_trigger
    WHERE tgrelid = 'recovery_evidence'::regclass AND tgname = 'resubmission_trips') THEN
    CREATE TRIGGER resubmission_trips AFTER INSERT ON recovery_evidence
      FOR EACH ROW
      WHEN (NEW.step IN ('lookup', 'create', 'late')
            AND NEW.reason IN ('duplicate', 'mismatch', 'foreign-credit'))
      EXECUTE FUNCTION trip_resubmission();
    ALTER TABLE recovery_evidence ENABLE ALWAYS TRIGGER resubmission_trips;
  END IF;
END
$$;
