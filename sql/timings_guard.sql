-- SPDX-License-Identifier: Apache-2.0
-- Keeps contract_timings from changing what the kept consumption rows stand for (design section 8).

-- BEFORE UPDATE, DELETE and TRUNCATE on contract_timings, whoever changes them. Raises RC006
--   for another admission_leeway, or a shorter maximum_grant_lifetime or issue_time_skew, while a
--   consumption row's retain_until and cleanup_margin lie in the future: the row was kept for the
--   old values
--   for such a change outside Read Committed, where rows committed meanwhile would not be seen
--   for the removal of the row: one put in its place would be a change that nobody compared
--
-- Under a raised leeway every token is good for longer than its row was kept. So the mark goes up by
-- the difference, counted from where rows are gone already or may go from now on: from the mark, or
-- from the last row that is there.
CREATE OR REPLACE FUNCTION refuse_unsafe_timings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
DECLARE
  last_kept timestamptz;
  margin interval;
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    RAISE EXCEPTION 'the row of contract_timings cannot be removed'
      USING ERRCODE = 'RC006', HINT = 'Without it no grant is admitted. Update it.';
  END IF;
  IF NEW.admission_leeway = OLD.admission_leeway
     AND NEW.maximum_grant_lifetime >= OLD.maximum_grant_lifetime
     AND NEW.issue_time_skew >= OLD.issue_time_skew THEN
    RETURN NEW;
  END IF;

  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'contract_timings: admission_leeway, maximum_grant_lifetime and issue_time_skew'
      ' cannot change at isolation level %', current_setting('transaction_isolation')
    USING ERRCODE = 'RC006', HINT = 'Change them in Read Committed.';
  END IF;
  -- Waits for whoever has read the old values and not committed yet; later claims wait for these.
  LOCK TABLE grant_consumptions IN SHARE MODE;
  SELECT max(retain_until) INTO last_kept FROM grant_consumptions;
  margin := greatest(OLD.cleanup_margin, NEW.cleanup_margin);
  IF last_kept + margin > clock_timestamp() THEN
    RAISE EXCEPTION 'contract_timings: admission_leeway cannot change, and maximum_grant_lifetime'
      ' and issue_time_skew cannot fall, before %', last_kept + margin
    USING ERRCODE = 'RC006',
      HINT = 'Grants were spent or revoked under the old values. Stop admission and revocation, and'
        ' try again when that time has come.';
  END IF;
  IF NEW.admission_leeway > OLD.admission_leeway THEN
    UPDATE cleanup_mark
    SET cut_off = greatest(cut_off, last_kept + interval '1 microsecond')
      + (NEW.admission_leeway - OLD.admission_leeway);
  END IF;
  RETURN NEW;
END
$function$;
REVOKE ALL ON FUNCTION refuse_unsafe_timings() FROM PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_trigger
    WHERE tgrelid = 'contract_timings'::regclass AND tgname = 'contract_timings_change_safely') THEN
    CREATE TRIGGER contract_timings_change_safely BEFORE UPDATE OR DELETE ON contract_timings
      FOR EACH ROW EXECUTE FUNCTION refuse_unsafe_timings();
    CREATE TRIGGER contract_timings_stay BEFORE TRUNCATE ON contract_timings
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_unsafe_timings();
    -- ALWAYS: also for what a replication role changes.
    ALTER TABLE contract_timings ENABLE ALWAYS TRIGGER contract_timings_change_safely;
    ALTER TABLE contract_timings ENABLE ALWAYS TRIGGER contract_timings_stay;
  END IF;
END
$$;
