-- SPDX-License-Identifier: Apache-2.0
-- How many operations are unresolved, and how many of these somebody owns now. SELECT only.
SELECT
  count(*) AS unresolved,
  count(*) FILTER (WHERE owner_token IS NOT NULL AND lease_until > statement_timestamp())
    AS in_flight
FROM operations
WHERE status IN ('Admitted', 'Unknown')
