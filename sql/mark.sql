-- SPDX-License-Identifier: Apache-2.0
-- The cleanup mark: how far consumption rows may have been deleted (design section 3). A sweep
-- commits its cut-off here before it deletes anything. A claim that got through because its row had
-- been deleted therefore sees the mark that announced the deletion, and leaves nothing.
CREATE TABLE IF NOT EXISTS cleanup_mark (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  cut_off timestamptz NOT NULL DEFAULT '-infinity',
  -- Nothing could be admitted ever again.
  CONSTRAINT cleanup_mark_not_endless CHECK (cut_off < 'infinity')
);
COMMENT ON TABLE cleanup_mark IS 'One row. Rises before each sweep and never falls.';

INSERT INTO cleanup_mark DEFAULT VALUES ON CONFLICT DO NOTHING;

-- Raises RC005: the mark says what is gone already, and no update brings that back.
CREATE OR REPLACE FUNCTION refuse_lower_mark() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.cut_off >= OLD.cut_off THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the cleanup mark stands at % and cannot be lowered to %',
      OLD.cut_off, NEW.cut_off USING ERRCODE = 'RC005';
  END IF;
  RAISE EXCEPTION 'the cleanup mark cannot be removed'
    USING ERRCODE = 'RC005', HINT = 'Without it no grant is admitted.';
END
$function$;
REVOKE ALL ON FUNCTION refuse_lower_mark() FROM PUBLIC;

-- AFTER INSERT on the consumption rows, whoever inserts. Raises RC001 if the new row's retain_until
-- lies below the mark, or outside Read Committed, where the mark would be read as it was when the
-- transaction began. A row without an operation is a revocation and claims nothing.
--
-- On a table of the service's own the first trigger argument names its retain_until column, the
-- second its operation column; without a second, every row counts as a claim.
CREATE OR REPLACE FUNCTION refuse_claim_below_mark() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = :"schema", pg_temp
AS $function$
DECLARE
  columns jsonb;
  retained timestamptz;
  mark timestamptz;
BEGIN
  IF TG_NARGS = 0 THEN
    IF NEW.operation_id IS NULL THEN
      RETURN NULL;
    END IF;
    retained := NEW.retain_until;
  ELSE
    columns := to_jsonb(NEW);
    IF TG_NARGS > 1 AND columns ->> TG_ARGV[1] IS NULL THEN
      RETURN NULL;
    END IF;
    retained := (columns ->> TG_ARGV[0])::timestamptz;
  END IF;

  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a grant is claimed at isolation level %, where the mark cannot be read',
      current_setting('transaction_isolation')
    USING ERRCODE = 'RC001', HINT = 'Admit in Read Committed.';
  END IF;
  -- A statement of its own, in a volatile function: its snapshot is taken after the claim went in,
  -- so it sees every mark that was committed before a deletion which the claim could not see.
  SELECT cut_off INTO mark FROM cleanup_mark;
  -- IS NOT TRUE: what cannot be compared, or is not there, is refused.
  IF (retained >= mark) IS NOT TRUE THEN
    RAISE EXCEPTION 'the grant''s row may have been cleaned up: it had to be kept until %, and the'
      ' cleanup mark is %', retained, mark
    USING ERRCODE = 'RC001', HINT = 'Do not retry with this grant.';
  END IF;
  RETURN NULL;
END
$function$;
REVOKE ALL ON FUNCTION refuse_claim_below_mark() FROM PUBLIC;

DO $$
DECLARE
  wanted record;
BEGIN
  FOR wanted IN
    SELECT * FROM (VALUES
      ('cleanup_mark', 'cleanup_mark_never_falls',
       'BEFORE UPDATE OR DELETE ON cleanup_mark FOR EACH ROW EXECUTE FUNCTION refuse_lower_mark()'),
      ('cleanup_mark', 'cleanup_mark_stays',
       'BEFORE TRUNCATE ON cleanup_mark FOR EACH STATEMENT EXECUTE FUNCTION refuse_lower_mark()'),
      ('grant_consumptions', 'grant_consumptions_above_mark',
       'AFTER INSERT ON grant_consumptions FOR EACH ROW EXECUTE FUNCTION refuse_claim_below_mark()')
    ) AS wanted (table_name, trigger_name, definition)
    JOIN pg_class ON pg_class.oid = to_regclass(table_name)
    -- A table behind a view has got its trigger from adopt.sql.
    WHERE relkind IN ('r', 'p') AND NOT EXISTS (
      SELECT FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgname = trigger_name)
  LOOP
    EXECUTE format('CREATE TRIGGER %I %s', wanted.trigger_name, wanted.definition);
    -- ALWAYS: also for what a replication role inserts.
    EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER %I',
                   wanted.table_name, wanted.trigger_name);
  END LOOP;
END
$$;
