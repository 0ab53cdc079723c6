-- SPDX-License-Identifier: Apache-2.0
-- How long until the next lease ends; null where none does, below zero where it just has.
--   $1 us since 1970: the moment that the last takeover looked at
-- After that moment and not after now: a lease that ended between the two would be missed.
-- The first entry of the index, and not min(): with old statistics the planner may read all of it.
SELECT (extract(epoch FROM (
  SELECT lease_until FROM operations
  WHERE status IN ('Admitted', 'Unknown')
    AND lease_until > timestamptz 'epoch' + $1::bigint * interval '1 microsecond'
    -- No CHECK keeps it out of a view over the service's table, and it cannot be subtracted from.
    AND lease_until < timestamptz 'infinity'
  ORDER BY lease_until LIMIT 1
) - clock_timestamp()) * 1000000)::bigint AS wait_us
