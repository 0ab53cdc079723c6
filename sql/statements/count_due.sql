-- SPDX-License-Identifier: Apache-2.0
-- How many unresolved operations have a lease that ended before this moment.
--   $1 us since 1970
SELECT count(*) AS due
FROM operations
WHERE status IN ('Admitted', 'Unknown')
  AND lease_until < timestamptz 'epoch' + $1::bigint * interval '1 microsecond'
