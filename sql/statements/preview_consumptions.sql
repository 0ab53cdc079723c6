-- SPDX-License-Identifier: Apache-2.0
-- What a sweep would delete, by the day (UTC) until which it had to be kept; below $1 (us).
SELECT (retain_until AT TIME ZONE 'UTC')::date::text AS day, count(*) AS rows
FROM grant_consumptions
WHERE retain_until < timestamptz 'epoch' + $1::bigint * interval '1 microsecond'
GROUP BY 1
ORDER BY 1
