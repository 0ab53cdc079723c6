-- SPDX-License-Identifier: Apache-2.0
-- Deletes consumption rows that had to be kept until before $1 (us), oldest first, at most $2.
-- Returns how many. What somebody else has locked stays for a later sweep.
WITH due AS (
  SELECT issuer, grant_id
  FROM grant_consumptions
  -- Below the mark that is committed, whatever the caller believes.
  WHERE retain_until < least(timestamptz 'epoch' + $1::bigint * interval '1 microsecond',
                             (SELECT cut_off FROM cleanup_mark))
  ORDER BY retain_until
  LIMIT $2::int
  FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM grant_consumptions AS row
  USING due
  WHERE row.issuer = due.issuer AND row.grant_id = due.grant_id
  RETURNING 1
)
SELECT count(*) AS deleted FROM deleted
