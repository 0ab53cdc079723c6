-- SPDX-License-Identifier: Apache-2.0
-- What a sweep would delete, by the day (UTC) of its expiry, and how many of these would be answers
-- lost. The conditions are those of delete_idempotency_records.
SELECT (expires_at AT TIME ZONE 'UTC')::date::text AS day, count(*) AS rows,
  count(*) FILTER (WHERE state = 'Executed') AS answers_lost
FROM idempotency_records
WHERE expires_at < statement_timestamp()
  AND (state <> 'Processing'
       OR claimed_at
          < statement_timestamp() - (SELECT idempotency_stale_after FROM contract_timings))
GROUP BY 1
ORDER BY 1
